import { compile } from 'html-to-text';
import { maxRenderedCharacters } from '../rendering';

/** The text part of a mail that has only HTML: links with their address, images by their description. */
export function textOfHtml(html: string): string {
  return convert(html.slice(0, findEnd(html)));
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const maxDepth = 256;
/** Reading tags is what takes the time: this many take about 20 ms. A mail that has more should bring its own text. */
const maxTags = 5_000;

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: maxRenderedCharacters, maxDepth },
  formatters: {
    description: (element, _walk, builder) => builder.addInline(element.attribs?.['alt'] ?? ''),
  },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'description' },
    ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Where the first tag begins that is too many, or the end. */
function findEnd(html: string): number {
  let end = -1;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    end = html.indexOf('<', end + 1);
    if (end === -1) return html.length;
  }
  return end;
}
