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
];
