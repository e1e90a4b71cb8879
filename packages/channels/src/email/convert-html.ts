import { escapeHtml } from '@belfry/shared';
import { type Builder, compile, type Element, type Walk } from 'html-to-text';
import { LRUCache } from 'lru-cache';
import { maxRenderedCharacters, type Print } from '../rendering';

/**
 * Derives the text body of a mail that has only HTML. Links show their address and images their
 * description. Mails that differ only in their values share one conversion: it runs on the HTML
 * with marks in place of the values, then each mail's values replace the marks. If the result would
 * differ, the mail's own HTML is converted.
 */
export function convertHtml(html: string, prints: readonly Print[] = []): string {
  const form = prints.length > 0 ? findForm(html, prints) : undefined;
  return (form && fillForm(form)) ?? convertWhole(html);
}

function convertWhole(html: string): string {
  return convert(html.slice(0, findEnd(html)), { links: [] });
}

/** A mail's HTML with marks in place of its values. */
type Form = { marked: string; values: string[] };
type Link = { href: string; text: string };
/** The text with marks, and the links whose form depends on the values. */
type Conversion = { text: string; links: Link[] };

/** Private-use characters of Unicode. HTML that contains one of them is converted without marks. */
const [markStart, markEnd] = ['\uf8fe', '\uf8ff'];
const markPattern = /\uf8fe(\d+)\uf8ff/g;

const maxFormCharacters = 32 * 1024;
const maxKeptCharacters = 2 * 1024 * 1024;

const convertedCache = new LRUCache<string, Conversion>({
  maxSize: maxKeptCharacters,
  sizeCalculation: ({ text }, marked) => marked.length + text.length,
});

/** Empty values and values with unusual spaces would change the spaces around them. */
const plainValue = /^[^\s\u200b]+( [^\s\u200b]+)*$/;
/** html-to-text removes this from a link's address, or drops the address. */
const linkStart = /^(#|mailto:)/;
/** After this, a value could be read as the rest of an entity. */
const openEntity = /&[#0-9A-Za-z]*$/;
const maxEntityCharacters = 34;
/** The attributes that number a list. */
const markInList = /\b(start|type)\s*=\s*["'][^"']*\uf8fe/i;

function findForm(html: string, prints: readonly Print[]): Form | undefined {
  if (html.length > maxFormCharacters || html.includes(markStart) || html.includes(markEnd)) {
    return undefined;
  }
  const numbers = new Map<string, number>();
  let [marked, end] = ['', 0];
  for (const { value, escaped, at } of prints) {
    const isPlain = plainValue.test(value) && !linkStart.test(value);
    const before = html.slice(Math.max(0, at - maxEntityCharacters), at);
    if (!isPlain || escaped !== escapeHtml(value) || openEntity.test(before)) return undefined;
    // Equal values share a mark, so the marks show whether a link's text equals its address.
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    marked += `${html.slice(end, at)}${markStart}${number}${markEnd}`;
    end = at + escaped.length;
  }
  marked += html.slice(end);
  const isForm = marked.length <= maxFormCharacters && !markInList.test(marked);
  return isForm ? { marked, values: [...numbers.keys()] } : undefined;
}

/** Undefined when a link of this mail has its address as its text, unlike the other mails. */
function fillForm({ marked, values }: Form): string | undefined {
  const { text, links } = convertedCache.get(marked) ?? convertForm(marked);
  const fill = (part: string) => part.replace(markPattern, (_, number) => values[number] ?? '');
  const isSame = (link: Link) => fill(link.href) === fill(link.text).replaceAll(' ', '');
  return links.some(isSame) ? undefined : fill(text);
}

function convertForm(marked: string): Conversion {
  const links: Link[] = [];
  const text = convert(marked.slice(0, findEnd(marked)), { links });
  const open = links.filter(
    ({ href, text: linkText }) => href !== linkText && `${href}${linkText}`.includes(markStart),
  );
  const converted = { text, links: open };
  convertedCache.set(marked, converted);
  return converted;
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const maxDepth = 256;
/**
 * Reading tags dominates the time: 5,000 tags take about 20 ms. A mail with more tags should have
 * its own text body.
 */
const maxTags = 5_000;

const convert = compile<{ links: Link[] }>({
  wordwrap: false,
  limits: { maxInputLength: maxRenderedCharacters, maxDepth },
  formatters: {
    description: (element, _walk, builder) => builder.addInline(element.attribs?.['alt'] ?? ''),
    link: writeLink,
  },
  selectors: [
    { selector: 'a', format: 'link' },
    { selector: 'img', format: 'description' },
    ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The link text followed by its address, unless both are equal. */
function writeLink(element: Element, walk: Walk, builder: Builder<{ links: Link[] }>): void {
  const href = element.attribs?.['href']?.replace(/^mailto:/, '') ?? '';
  if (href === '' || href.startsWith('#')) {
    walk(element.children, builder);
    return;
  }
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  builder.metadata.links.push({ href, text });
  if (href === text) return;
  builder.addInline(text === '' ? href : ` [${href}]`, { noWordTransform: true });
}

/** The offset of the first tag over the limit, or the end. */
function findEnd(html: string): number {
  let end = -1;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    end = html.indexOf('<', end + 1);
    if (end === -1) return html.length;
  }
  return end;
}
