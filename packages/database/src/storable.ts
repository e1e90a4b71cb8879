/** An index entry can have at most 2.7 KB. */
const maxTextCharacters = 2_000;

/** A text of a provider, cut and without U+0000, which PostgreSQL cannot store. */
export function storable(text: string | undefined): string | undefined {
  return text?.slice(0, maxTextCharacters).replaceAll('\0', '\uFFFD');
}
