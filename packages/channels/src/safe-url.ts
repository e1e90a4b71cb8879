/** The only schemes that a value may add to a link. */
const allowedScheme = /^(https?|mailto|tel):/i;
const scheme = /^[^:/?#]*:/;

/** Characters that URL parsers skip. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const skipped = /[\u0000-\u0020\u007f]/g;

/** Whether a value may start a link: it has an allowed scheme. */
export function isLinkStart(value: string): boolean {
  return allowedScheme.test(value.replace(skipped, ''));
}

/** Whether a value may follow a part that may still become a scheme: it must not complete one. */
export function isLinkPart(value: string): boolean {
  return isLinkStart(value) || !scheme.test(value.replace(skipped, ''));
}

const webScheme = /^https?:/i;

/** Whether a whole link is http, https or relative. */
export function isWebLink(link: string): boolean {
  const text = link.replace(skipped, '');
  return webScheme.test(text) || !scheme.test(text);
}

const runningScheme = /^(javascript|data|vbscript|file|blob|about):/i;

/**
 * Whether an app may open a link: custom schemes are allowed, but none that runs code or reads
 * local data.
 */
export function isAppLink(link: string): boolean {
  return !runningScheme.test(link.replace(skipped, ''));
}

/** Whether a phone can fetch an image from this link. */
export function isPictureLink(link: string): boolean {
  return /^https?:\/\/[^/]/i.test(link.replace(skipped, ''));
}

export type LinkPrefix = 'empty' | 'undecided' | 'decided' | 'refused';

/** Classifies the fixed text before a value by the link's scheme. */
export function classifyPrefix(literal: string): LinkPrefix {
  const text = literal.replace(skipped, '');
  if (text === '') return 'empty';
  if (scheme.test(text)) return allowedScheme.test(text) ? 'decided' : 'refused';
  return /[/?#]/.test(text) ? 'decided' : 'undecided';
}
