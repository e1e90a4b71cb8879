/**
 * Arrays as parameters. The driver's own way looks at each character of each element for what must be escaped, and costs
 * the gateway more than all else that it does for a row.
 */

/** Of values whose text needs no quotation mark in an array: UUIDs, numbers, booleans, times. */
export function plainArray(
  values: readonly (string | number | boolean | Date | undefined)[],
): string {
  return `{${values.map(formatValue).join(',')}}`;
}

function formatValue(value: string | number | boolean | Date | undefined): string {
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
  // Written at once where each character is a byte: a call into Node for each text costs more than all else here.
  const joined = values.join(lengthPlaceholder);
  if (getByteLength(joined) === joined.length) return asciiArray(values, joined);
  const lengths = values.map((value) => (value === undefined ? undefined : getByteLength(value)));
  return binaryArray(textOid, lengths, (buffer, index, at) => {
    buffer.write(values[index] ?? '', at, 'utf8');
  });
}

/** Where each length goes once the texts are in their places. */
const lengthPlaceholder = '\0\0\0\0';

function asciiArray(values: readonly (string | undefined)[], joined: string): Buffer {
  if (values.length === 0) return writeHead(Buffer.allocUnsafe(headBytes), textOid, 0);
  const first = headBytes + lengthBytes;
  const buffer = writeHead(Buffer.allocUnsafe(first + joined.length), textOid, values.length);
  buffer.write(joined, first, 'latin1');
  let at = headBytes;
  for (const value of values) {
    at = buffer.writeInt32BE(value === undefined ? isNull : value.length, at);
    at += value === undefined ? 0 : value.length;
  }
  return buffer;
}

/** The same for bytes. */
export function byteaArray(values: readonly Buffer[]): Buffer {
  const lengths = values.map((value) => value.length);
  return binaryArray(byteaOid, lengths, (buffer, index, at) => {
    values[index]?.copy(buffer, at);
  });
}

function getByteLength(text: string): number {
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
  const buffer = writeHead(Buffer.allocUnsafe(bytes), oid, lengths.length);
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

function writeHead(buffer: Buffer, oid: number, count: number): Buffer {
  for (const [index, field] of [1, 1, oid, count, 1].entries()) {
    buffer.writeInt32BE(field, index * lengthBytes);
  }
  return buffer;
}
