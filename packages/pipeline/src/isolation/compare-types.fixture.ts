import {
  type DeclaredCall,
  type DeclaredColumn,
  type DescribedStatement,
  toColumnKey,
} from './sql-types.fixture';

type Comparison = DescribedStatement & { declared: DeclaredCall };
type Described = Pick<DescribedStatement, 'schema' | 'sent'>;

/**
 * Compares what a call declares with what PostgreSQL expects and returns.
 *
 * It cannot see: whether an expression (not a column) may be null, unless a row of the run had a null there; the elements
 * of arrays that are encoded before they are sent; the members of JSON; which texts a union of texts allows.
 */
export function compareTypes(statement: DescribedStatement): string[] {
  const { declared } = statement;
  if (!declared) return ['no call of `query` is there'];
  const comparison = { ...statement, declared };
  return [...compareParameters(comparison), ...compareRow(comparison)];
}

function compareParameters({ declared, sent, parameters }: Comparison): string[] {
  return parameters.flatMap((type, index) => {
    const kinds = [...(declared.values?.[index] ?? []), ...(sent.valueKinds[index] ?? [])];
    const wrong = new Set(kinds.filter((kind) => !acceptsKind(type, kind)));
    return [...wrong].map((kind) => `$${index + 1} is ${type}, but its value is ${kind}`);
  });
}

const absent = ['null', 'undefined'];

/** The kinds that the driver sends as this type. `unknown` is judged by the values of the run. */
function acceptsKind(type: string, kind: string): boolean {
  if ([...absent, 'unknown'].includes(kind)) return true;
  if (!type.endsWith('[]')) return listSentKinds(type).includes(kind);
  // A text or a buffer is an array that `array-parameters.ts` encoded.
  if (kind === 'string' || kind === 'Buffer') return true;
  const elements = /^\((.*)\)\[\]$/.exec(kind)?.[1];
  if (elements === undefined) return false;
  return (
    elements === '' || elements.split(' | ').every((each) => acceptsKind(type.slice(0, -2), each))
  );
}

function listSentKinds(type: string): string[] {
  if (type === 'json' || type === 'jsonb') return ['string', 'object'];
  if (type === 'bytea') return ['Buffer', 'Uint8Array'];
  if (type === 'bigint' || type === 'numeric') return ['number', 'string', 'bigint'];
  return [returnedKinds[type] ?? 'string'];
}

/** The kind of a returned value of this type; `string` for others. */
const returnedKinds: Record<string, string> = {
  boolean: 'boolean',
  bytea: 'Buffer',
  'double precision': 'number',
  integer: 'number',
  oid: 'number',
  real: 'number',
  smallint: 'number',
  'timestamp with time zone': 'Date',
};

/** The differences from the row type that fits best. */
function compareRow({ declared, ...statement }: Comparison): string[] {
  const { rows, usesRows } = declared;
  const differences = rows.map((row) => compareColumns(statement, row));
  const [best] = differences.sort((a, b) => a.length - b.length);
  return best ?? (usesRows && statement.sent.fields.length > 0 ? ['its rows have no type'] : []);
}

function compareColumns({ schema, sent }: Described, row: DeclaredColumn[]): string[] {
  const names = new Set(sent.fields.map(({ name }) => name));
  const missing = row.filter(({ name, kinds }) => !names.has(name) && !kinds.includes('undefined'));
  return [
    ...missing.map(({ name }) => `it returns no column ${name}`),
    ...sent.fields.flatMap((field) => {
      const column = row.find(({ name }) => name === field.name);
      if (!column) return [`its type lacks the returned column ${field.name}`];
      return compareColumn({ schema, sent, field, kinds: column.kinds });
    }),
  ];
}

type ColumnComparison = Described & {
  field: DescribedStatement['sent']['fields'][number];
  kinds: string[];
};

function compareColumn({ schema, sent, field, kinds }: ColumnComparison): string[] {
  const { name } = field;
  const type = schema.types.get(field.dataTypeID) ?? 'unknown';
  const wrong = kinds.filter((kind) => !isReturned(type, kind));
  const differences = wrong.map((kind) => `${name} is ${type}, but its type says ${kind}`);
  const reason = findNullReason({ schema, sent, field });
  if (reason && !kinds.includes('null') && !kinds.includes('unknown')) {
    differences.push(`${name} may be null (${reason}), but its type is ${kinds.join(' | ')}`);
  }
  return differences;
}

function isReturned(type: string, kind: string): boolean {
  if ([...absent, 'unknown'].includes(kind)) return true;
  if (type === 'json' || type === 'jsonb') return !['Date', 'Buffer', 'Uint8Array'].includes(kind);
  if (!type.endsWith('[]')) return kind === (returnedKinds[type] ?? 'string');
  const elements = /^\((.*)\)\[\]$/.exec(kind)?.[1];
  return elements?.split(' | ').every((each) => isReturned(type.slice(0, -2), each)) ?? false;
}

/** Why the column may be null; undefined if nothing says so. */
function findNullReason({
  schema,
  sent,
  field,
}: Omit<ColumnComparison, 'kinds'>): string | undefined {
  if (sent.nullColumns.has(field.name)) return 'a row had a null';
  const source = schema.columns.get(toColumnKey(field));
  if (!source) return undefined;
  const { table, column, isNotNull } = source;
  if (isRequired(sent.text, column)) return undefined;
  if (!isNotNull) return `${table}.${column} is nullable`;
  return isOnlyOuter(sent.text, table) ? `${table} is outer-joined` : undefined;
}

/** Whether a condition of the statement leaves out rows without the column. */
function isRequired(text: string, column: string): boolean {
  return new RegExp(`\\b(WHERE|AND)\\s+(\\w+\\.)?${column} IS NOT NULL`).test(text);
}

/** Whether every mention of the table is behind LEFT JOIN, or within a subquery that is. */
function isOnlyOuter(text: string, table: string): boolean {
  const mention = new RegExp(`\\b(FROM|JOIN|UPDATE|INTO|USING)\\s+${table}\\b`, 'g');
  const outer = listOuterParts(text);
  const mentions = [...text.matchAll(mention)].map(({ index }) => index);
  return (
    mentions.length > 0 && mentions.every((at) => outer.some(([from, to]) => at >= from && at < to))
  );
}

/** The table or subquery behind each LEFT JOIN, as positions in the text. */
function listOuterParts(text: string): [number, number][] {
  return [...text.matchAll(/\bLEFT JOIN\s+(LATERAL\s+)?(\(?)/g)].map(
    ({ index, 0: start, 2: open }) => {
      if (open === '') return [index, index + start.length];
      return [index, findEnd(text, index + start.length)];
    },
  );
}

/** The position behind the bracket that is open here. */
function findEnd(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
  }
  return at;
}
