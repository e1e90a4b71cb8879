import { harmlessLink } from './markup';

/**
 * Telegram's HTML from a rendered template. Telegram knows only the line feed as line break or
 * paragraph.
 */
export function finishMarkup(rendered: string): string {
  const markup = rendered.replace(/\r\n?/g, '\n').replace(/<br\s*\/?>/gi, '\n');
  const paragraphs = markup.split(/(?:<\/?p\s*>\s*)+/i);
  const last = paragraphs.length - 1;
  return paragraphs
    .map((text, index) => (index < last ? text.trimEnd() : text))
    .join('\n\n')
    .replace(/(<a\s+href\s*=\s*)(?:(")\s*"|(')\s*')/gi, `$1$2$3${harmlessLink}$2$3`)
    .trim();
}

/** The text that Telegram counts and shows: without tags, with entities decoded. */
export function toPlainText(html: string): string {
  return html
    .replace(/<(?:[^<>"']|"[^"]*"|'[^']*')*>/g, '')
    .replace(/&(?:(lt|gt|amp|quot)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, decodeEntity);
}

const namedEntities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const maxCodePoint = 0x10ffff;

function decodeEntity(
  entity: string,
  name: string | undefined,
  decimal: string | undefined,
  hexadecimal: string | undefined,
): string {
  if (name !== undefined) return namedEntities[name.toLowerCase()] ?? entity;
  const codePoint = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
  const isCharacter = codePoint > 0 && codePoint <= maxCodePoint;
  return isCharacter ? String.fromCodePoint(codePoint) : entity;
}
