/**
 * White space, control characters, Unicode's default-ignorable code points (zero-width spaces and joiners, soft hyphens,
 * fillers, variation selectors, tags, marks of direction), and what else has no ink: the Braille blank, the marks of
 * interlinear annotations and the null note head.
 */
const withInk =
  /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]/u;

/** Whether a text shows nothing to a reader. Such a text counts as empty on every channel. */
export function isBlank(text: string): boolean {
  return !withInk.test(text);
}
