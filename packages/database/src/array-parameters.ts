/**
 * Arrays as parameters. The driver checks each character of each element for escaping. That costs the gateway more than
 * all its other work for a row.
 */

/** For values that need no quotation marks in an array: UUIDs, numbers, booleans, times. */
export function plainArray(
  values: readonly (string | number | boolean | Date | undefined)[],
): string {
  return `{${values.map(formatValue).join(',')}}`;
}

function formatValue(value: string | number | boolean | Date | undefined): string {
  if (typeof value === 'string') return quoted(value);
  if (value === undefined) return 'NULL';
  if (value instanceof Date) return value.toISOString();
  // String(-0) is '0'.
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A comma or an empty text would shift the elements after it. Only a bug passes a value that is not a UUID. */
function quoted(value: string): string {
  if (value.length === uuidCharacters && !value.includes(',')) return value;
  throw new Error('A value in a column of UUIDs is not a UUID');
}

const uuidCharacters = 36;

const textOid = 25;
const byteaOid = 17;

/** In PostgreSQL's binary format, which needs no escaping. */
export function textArray(values: readonly (string | undefined)[]): Buffer {
  // ASCII texts are written in one call: a call into Node for each text costs more than everything else here.
  const joined = values.join(lengthPlaceholder);
  if (getByteLength(joined) === joined.length) return asciiArray(values, joined);
  const lengths = values.map((value) => (value === undefined ? undefined : getByteLength(value)));
  return binaryArray(textOid, lengths, (buffer, index, at) => {
    buffer.write(values[index] ?? '', at, 'utf8');
  });
}

/** Reserves the bytes of a length between two texts. */
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

/** Like `textArray`, for bytes. */
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

/** The format of array_send: dimensions, null flag, element type, length, lower bound; then each element after its length. */
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

/** Neither occurs in JSON, which escapes control characters (RFC 8259, section 7). */
const separator = '\u001f';
const nullMarker = '\u001e';

/**
 * JSON texts as one parameter, for `readJsonColumn`. An array literal needs an escape before each quotation mark; for a
 * megabyte of JSON, that blocks the event loop for 100 ms.
 */
export function jsonColumn(texts: readonly (string | undefined)[]): string {
  const column = texts.map((text) => text ?? nullMarker).join(separator);
  const isAligned = texts.every((text) => !text?.includes(separator) && text !== nullMarker);
  if (!isAligned) throw new Error('A value in a column of JSON is not JSON');
  return column;
}

/** SQL that turns a parameter of `jsonColumn` into an array. */
export function readJsonColumn(parameter: `$${number}`): string {
  return `string_to_array(${parameter}, E'\\x1f', E'\\x1e')`;
}
