/** An index takes no more than 2.7 KB; what a person reads of an answer is shorter. */
const maxTextCharacters = 2_000;

/** A text of a provider as PostgreSQL takes it: it has no U+0000. */
export function storable(text: string | undefined): string | undefined {
  return text?.slice(0, maxTextCharacters).replaceAll('\0', '\uFFFD');
}
