/** As SQL writes a list of words that are ours: no value from outside may stand in it. */
export function listOfTexts(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
