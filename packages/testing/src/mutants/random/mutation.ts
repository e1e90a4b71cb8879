export const kinds = [
  'dropped tenant condition',
  'dropped condition',
  'swapped operator',
  'off by one',
  'dropped await',
  'swapped arguments',
  'changed constant or unit',
  'swallowed error',
  'SQL: dropped condition',
  'SQL: swapped operator',
  'SQL: order, limit or choice',
] as const;

export type Kind = (typeof kinds)[number];

/** Replaces the text between two positions of a file. */
export type Mutation = { kind: Kind; start: number; end: number; becomes: string };

/** A column or member that names the tenant of a row. */
export const tenantName = /\b(app|account)(_id|Id)\b/;
