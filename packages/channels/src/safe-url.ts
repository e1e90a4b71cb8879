/** The only schemes that a value may bring into a link. */
const allowedScheme = /^(https?|mailto|tel):/i;
const scheme = /^[^:/?#]*:/;

/** What readers of URLs skip. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const skipped = /[\u0000-\u0020\u007f]/g;

/** Whether a value may begin a link: it names a scheme, and one that runs nothing. */
export function isLinkStart(value: string): boolean {
  return allowedScheme.test(value.replace(skipped, ''));
}

/** Whether a value may follow what is not yet known to hold a scheme: it must not complete one. */
export function isLinkPart(value: string): boolean {
  return isLinkStart(value) || !scheme.test(value.replace(skipped, ''));
}

const webScheme = /^https?:/i;

/** Whether a whole link is one that a browser follows within the web: http, https, or relative. */
export function isWebLink(link: string): boolean {
  const text = link.replace(skipped, '');
  return webScheme.test(text) || !scheme.test(text);
}

const runningScheme = /^(javascript|data|vbscript|file|blob|about):/i;

/** Whether a link may be handed to an app: it may have a scheme of its own, and none that runs or reads something here. */
export function isAppLink(link: string): boolean {
  return !runningScheme.test(link.replace(skipped, ''));
}

/** Whether a phone can fetch a picture from there by itself. */
export function isPictureLink(link: string): boolean {
  return /^https?:\/\/[^/]/i.test(link.replace(skipped, ''));
}

export type LinkPrefix = 'empty' | 'undecided' | 'decided' | 'refused';

/** What the fixed text before a value says of the link's scheme. */
export function classifyPrefix(literal: string): LinkPrefix {
  const text = literal.replace(skipped, '');
  if (text === '') return 'empty';
  if (scheme.test(text)) return allowedScheme.test(text) ? 'decided' : 'refused';
  return /[/?#]/.test(text) ? 'decided' : 'undecided';
}
