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
