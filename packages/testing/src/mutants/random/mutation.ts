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

/** The text between two places of a file becomes another one. */
export type Mutation = { kind: Kind; start: number; end: number; becomes: string };

/** A column or member that says whose a row is. */
export const tenantName = /\b(app|account)(_id|Id)\b/;
