/**
 * Characters without ink: white space, control characters, Unicode's default-ignorable code points (zero-width spaces
 * and joiners, soft hyphens, fillers, variation selectors, tags, direction marks), the Braille blank, interlinear
 * annotation marks and the null note head.
 */
const visibleCharacter =
  /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]/u;

/** Whether a text has no visible character. Every channel treats such a text as empty. */
export function isBlank(text: string): boolean {
  return !visibleCharacter.test(text);
}

/** Checks a caller's text before it reaches a uuid cast in SQL. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
