/**
 * Arrays as parameters. The driver's own way looks at each character of each element for what must be escaped, and costs
 * the gateway more than all else that it does for a row.
 */

/** Of values whose text needs no quotation mark in an array: UUIDs, numbers, booleans, times. */
export function plainArray(
  values: readonly (string | number | boolean | Date | undefined)[],
): string {
  return `{${values.map(textOf).join(',')}}`;
}

function textOf(value: string | number | boolean | Date | undefined): string {
  if (typeof value === 'string') return quoted(value);
  if (value === undefined) return 'NULL';
  if (value instanceof Date) return value.toISOString();
  // String() would take the sign off.
  return Object.is(value, -0) ? '-0' : String(value);
}

/** One that would stand for more than itself, or for nothing, is no UUID: a bug, which must not shift its neighbours. */
function quoted(value: string): string {
  if (value.length === uuidCharacters && !value.includes(',')) return value;
  throw new Error('A text that is no UUID stands in a column of UUIDs');
}

const uuidCharacters = 36;

const textOid = 25;
const byteaOid = 17;

/** In PostgreSQL's binary form, which escapes nothing. */
export function textArray(values: readonly (string | undefined)[]): Buffer {
  const lengths = values.map((value) => (value === undefined ? undefined : byteLengthOf(value)));
  return binaryArray(textOid, lengths, (buffer, index, at) => {
    buffer.write(values[index] ?? '', at, 'utf8');
  });
}

/** The same for bytes. */
export function byteaArray(values: readonly Buffer[]): Buffer {
  const lengths = values.map((value) => value.length);
  return binaryArray(byteaOid, lengths, (buffer, index, at) => {
    values[index]?.copy(buffer, at);
  });
}

function byteLengthOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

const headBytes = 20;
const lengthBytes = 4;
const isNull = -1;

/** As array_send writes it: dimensions, a flag, the elements' type; length and lower bound; each element behind its length. */
function binaryArray(
  oid: number,
  lengths: readonly (number | undefined)[],
  write: (buffer: Buffer, index: number, at: number) => void,
): Buffer {
  const bytes = lengths.reduce<number>(
    (total, length) => total + lengthBytes + (length ?? 0),
    headBytes,
  );
  const buffer = Buffer.allocUnsafe(bytes);
  for (const [index, field] of [1, 1, oid, lengths.length, 1].entries()) {
    buffer.writeInt32BE(field, index * lengthBytes);
  }
  let at = headBytes;
  for (let index = 0; index < lengths.length; index += 1) {
    const length = lengths[index];
    at = buffer.writeInt32BE(length ?? isNull, at);
    if (length === undefined) continue;
    write(buffer, index, at);
    at += length;
  }
  return buffer;
}
