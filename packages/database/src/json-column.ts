/** Neither can stand in JSON as it is: control characters are escaped there (RFC 8259, section 7). */
const separator = '\u001f';
const nullMarker = '\u001e';

/**
 * JSON texts as one parameter, read by `jsonColumnOf`. An array literal would need an escape before each quotation mark,
 * and a megabyte of JSON has so many that writing it holds the event loop for a tenth of a second.
 */
export function jsonColumn(texts: readonly (string | undefined)[]): string {
  const column = texts.map((text) => text ?? nullMarker).join(separator);
  const isAligned = texts.every((text) => !text?.includes(separator) && text !== nullMarker);
  if (!isAligned) throw new Error('A text that is no JSON stands in a column of JSON');
  return column;
}

/** The array that a parameter made by `jsonColumn` stands for. */
export function readJsonColumn(parameter: `$${number}`): string {
  return `string_to_array(${parameter}, E'\\x1f', E'\\x1e')`;
}
