import { survivors } from './survivors';

/** A plausible fault in the code, and the suite that has to notice it. */
export type Mutant = {
  name: string;
  /** The guarantee that no longer holds. */
  breaks: string;
  file: string;
  /** Each anchor is exactly once in the file. */
  edits: { anchor: string; becomes: string }[];
  suite: Suite;
};

export type Suite =
  | { kind: 'chaos'; keys: number; seed: number }
  /** The tests of a file whose titles match. */
  | { kind: 'tests'; project: 'unit' | 'int'; path: string; names: string };

const chaos: Suite = { kind: 'chaos', keys: 500, seed: 3 };
const idempotencyTests = 'apps/api/src/idempotency.int.test.ts';

export const mutants: Mutant[] = [
  {
    name: 'no unique key',
    breaks: 'PostgreSQL decides which call owns a key',
    file: 'prisma/migrations/20261129203700_create_schema/migration.sql',
    edits: [
      {
        anchor: `,
  CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, key_hash)`,
        becomes: '',
      },
    ],
    suite: chaos,
  },
  {
    name: 'answer before COMMIT',
    breaks: 'a 200 leaves after the commit',
    file: 'packages/pipeline/src/accept/write.ts',
    edits: [
      {
        anchor: 'const results = await write(calls);',
        becomes:
          'const results = calls.map((): WriteResult => ({ isWritten: true }));\n    void write(calls);',
      },
    ],
    suite: chaos,
  },
  {
    name: 'relay off',
    breaks: 'due messages are enqueued even if Redis lost them',
    file: 'packages/pipeline/src/relay/start-relay.ts',
    edits: [
      {
        anchor: 'for (const loop of loops) loop.start();',
        becomes: 'for (const loop of loops) if (loop !== relay) loop.start();',
      },
    ],
    suite: chaos,
  },
  {
    name: 'claim without checking the state',
    breaks: 'a message is claimed once',
    file: 'packages/pipeline/src/deliver/claim.sql.ts',
    edits: [
      {
        anchor: "const isClaimable = `m.state = 'queued' AND ",
        becomes: "const isClaimable = 'true';\nexport const unused = `",
      },
    ],
    suite: chaos,
  },
  {
    name: 'lease ignored in record',
    breaks: 'a late result does not move a message that was retried meanwhile',
    file: 'packages/pipeline/src/deliver/record.sql.ts',
    edits: [{ anchor: ' AND m.attempts = t.number\n', becomes: '\n' }],
    suite: chaos,
  },
  {
    name: 'unknown recorded as retry',
    breaks: 'a second send is declared as a possible duplicate',
    file: 'packages/pipeline/src/deliver/next-state.ts',
    edits: [
      {
        anchor: '  const { outcome } = ended;\n  const next = findNext(message, ended, deps);',
        becomes:
          "  const outcome: Ended['outcome'] =\n    ended.outcome.outcome === 'unknown' ? { ...ended.outcome, outcome: 'retry' } : ended.outcome;\n  const next = findNext(message, { ...ended, outcome }, deps);",
      },
    ],
    suite: chaos,
  },
  {
    name: 'fingerprint without path',
    breaks: 'a key belongs to one route and app',
    file: 'apps/api/src/post.ts',
    edits: [
      {
        anchor: '{ ...path, app_id: caller.app.id }',
        becomes: '{ ...path, app_id: undefined }',
      },
    ],
    suite: {
      kind: 'tests',
      project: 'int',
      path: idempotencyTests,
      names: 'another app of the account',
    },
  },
  {
    name: 'key scoped by API key',
    breaks: 'a key survives the rotation of the API key',
    file: 'apps/api/src/post.ts',
    edits: [
      {
        anchor: '    idempotencyKey,\n    route:',
        becomes:
          '    idempotencyKey: idempotencyKey && caller.apiKeyId + idempotencyKey,\n    route:',
      },
    ],
    suite: { kind: 'tests', project: 'int', path: idempotencyTests, names: 'second API key' },
  },
  {
    name: 'age counted from the last replay',
    breaks: 'a key can be removed 24 hours after its first use',
    file: 'packages/pipeline/src/accept/idempotency.sql.ts',
    edits: [
      {
        anchor: `SELECT account_id, key_hash, fingerprint, ring_key_id, request_id, status, body
           FROM idempotency_key
           WHERE (account_id, key_hash) IN (SELECT * FROM unnest($1::uuid[], $2::bytea[]))`,
        becomes: `UPDATE idempotency_key SET first_seen = now()
           WHERE (account_id, key_hash) IN (SELECT * FROM unnest($1::uuid[], $2::bytea[]))
           RETURNING account_id, key_hash, fingerprint, ring_key_id, request_id, status, body`,
      },
    ],
    suite: {
      kind: 'tests',
      project: 'int',
      path: idempotencyTests,
      names: 'at least 24 hours old',
    },
  },
  {
    name: 'job added again under its old id',
    breaks: 'a requeued job has an ID that Redis has never seen',
    file: 'packages/pipeline/src/relay/enqueue-due.ts',
    edits: [
      {
        anchor: 'const jobs = groupIntoJobs(lost, { channel, newId });',
        becomes:
          'const jobs = groupIntoJobs(lost, { channel, newId: () => lost[0]?.jobId ?? newId() });',
      },
    ],
    suite: {
      kind: 'tests',
      project: 'unit',
      path: 'packages/pipeline/src/relay/enqueue-due.test.ts',
      names: 'under a new id',
    },
  },
  {
    name: 'batch joined by key',
    breaks: 'a batch writes only for the calls that own their keys',
    file: 'packages/pipeline/src/accept/write.sql.ts',
    edits: [
      {
        anchor: 'WHERE id NOT IN (SELECT request_id FROM k)',
        becomes: `WHERE id NOT IN (
    SELECT w.id FROM unnest($7::uuid[], $16::text[]) w (id, idempotency_key)
    JOIN unnest($7::uuid[], $16::text[]) o (id, idempotency_key) USING (idempotency_key)
    JOIN k ON k.request_id = o.id)`,
      },
    ],
    suite: {
      kind: 'tests',
      project: 'int',
      path: 'packages/pipeline/src/accept/write-requests.int.test.ts',
      names: 'another account wins with the same key',
    },
  },
  {
    name: 'permission checked at plan instead of claim',
    breaks: 'nothing is sent to an address that has been suppressed meanwhile',
    file: 'packages/pipeline/src/deliver/eligibility.sql.ts',
    edits: [{ anchor: "      WHEN s.stops THEN 'suppressed'\n", becomes: '' }],
    suite: {
      kind: 'tests',
      project: 'int',
      path: 'packages/pipeline/src/deliver/delivery.int.test.ts',
      names: 'suppressed at the time of the claim',
    },
  },
  {
    name: 'preferences checked at plan instead of claim',
    breaks: 'a message obeys an opt-out that was made after it was accepted',
    file: 'packages/pipeline/src/deliver/eligibility.sql.ts',
    edits: [{ anchor: "      WHEN t.opt_out IS NOT NULL THEN 'opted_out'\n", becomes: '' }],
    suite: {
      kind: 'tests',
      project: 'int',
      path: 'packages/pipeline/src/deliver/opt-out-claims.int.test.ts',
      names: 'skips it when it is due',
    },
  },
  {
    name: 'the fast claim ignores preferences',
    breaks: 'the fast claim takes nothing that the verdict refuses',
    file: 'packages/pipeline/src/deliver/eligibility.sql.ts',
    edits: [{ anchor: 'hasNoOptOut(m)}`;', becomes: "'true'}`;" }],
    suite: {
      kind: 'tests',
      project: 'int',
      path: 'packages/pipeline/src/deliver/opt-out-claims.int.test.ts',
      names: 'skips it when it is due',
    },
  },
  ...survivors,
  {
    name: 'START lifts every suppression of the sender',
    breaks: 'START undoes only STOP',
    file: 'packages/pipeline/src/operate/replies.sql.ts',
    edits: [{ anchor: " AND s.source = 'reply'", becomes: '' }],
    suite: {
      kind: 'tests',
      project: 'int',
      path: 'packages/pipeline/src/operate/replies.int.test.ts',
      names: 'does not undo another report',
    },
  },
  {
    name: 'a repeated reply counts again',
    breaks: 'a reply counts once, however often the provider repeats it',
    file: 'packages/pipeline/src/operate/replies.sql.ts',
    edits: [{ anchor: ' AND NOT r.identities @> excluded.identities', becomes: '' }],
    suite: {
      kind: 'tests',
      project: 'int',
      path: 'packages/pipeline/src/operate/replies.int.test.ts',
      names: 'is recognised without a clock too',
    },
  },
];
