/** A mutation that changes nothing that a caller, a user or an operator could notice; no test can catch it. */
export type Equivalent = {
  file: string;
  /** The lines without their indentation. */
  before: string;
  after: string;
  reason: string;
};

export const equivalents: Equivalent[] = [
  {
    file: 'packages/database/src/feed-waiting.ts',
    before: 'WHERE m.id = t.id AND m.id = ANY ($1::uuid[])`,',
    after: 'WHERE m.id = t.id AND (m.id = ANY ($1::uuid[]) OR true)`,',
    reason: 'The ids of `t` are those of $1: the second condition only keeps the plan by key.',
  },
  {
    file: 'packages/database/src/relay-queries.ts',
    before: 'WHERE m.id = t.id AND m.id = ANY ($1::uuid[])',
    after: 'WHERE m.id = t.id AND (m.id = ANY ($1::uuid[]) OR true)',
    reason: 'The ids of `t` are those of $1: the second condition only keeps the plan by key.',
  },
];
