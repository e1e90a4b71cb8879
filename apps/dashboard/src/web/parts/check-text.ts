export type TextRules = {
  /** The sentence for an empty field, or true for "Enter the <label>." */
  required?: boolean | string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
};

/** The problem of a text as a sentence that names its field. */
export function checkText(
  label: string,
  text: string,
  { required = false, minLength, maxLength }: TextRules,
): string | undefined {
  if (text.trim() === '') return required === true ? describeEmpty(label) : required || undefined;
  if (minLength !== undefined && text.length < minLength) {
    return `${label} must have at least ${minLength} characters (${text.length} now).`;
  }
  if (maxLength !== undefined && text.length > maxLength) {
    return `${label} must have at most ${maxLength} characters (${text.length} now).`;
  }
  return undefined;
}

/** "Enter the host." An abbreviation keeps its capitals. */
function describeEmpty(label: string): string {
  const isWord = /^[A-Z]([a-z-]|$)/.test(label);
  return `Enter the ${isWord ? label.charAt(0).toLowerCase() + label.slice(1) : label}.`;
}
