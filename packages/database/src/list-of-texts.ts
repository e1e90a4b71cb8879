/** An SQL list of constants from the code. Values from outside must never be passed: nothing is escaped. */
export function listOfTexts(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
