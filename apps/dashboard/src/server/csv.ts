/** A line of a CSV file (RFC 4180). */
export function toCsvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(toCell).join(',')}\r\n`;
}

function toCell(value: string | number | null): string {
  const text = disarmFormula(String(value ?? ''));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * An apostrophe stops a spreadsheet from running the value as a formula. A sign and digits alone are a number, which does
 * nothing: phone numbers and chat ids stay as they are, so that the file can be compared with other lists.
 */
function disarmFormula(text: string): string {
  return formula.test(text) && !/^[+-]\d+$/.test(text) ? `'${text}` : text;
}

/** The value of a cell that `toCsvLine` or a spreadsheet may have disarmed. */
export function rearmFormula(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}

/** The start of a formula, also behind apostrophes: so each disarmed value has exactly one more. */
const formula = /^'*[=+\-@\t\r\n]/;
