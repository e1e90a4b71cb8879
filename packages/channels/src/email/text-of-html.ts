import { compile } from 'html-to-text';
import { maxRenderedCharacters } from '../rendering';

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const maxDepth = 256;

/** The text part of a mail that has only HTML: links with their address, images by their description. */
export const textOfHtml = compile({
  wordwrap: false,
  limits: { maxInputLength: 4 * maxRenderedCharacters, maxDepth },
  formatters: {
    description: (element, _walk, builder) => builder.addInline(element.attribs?.['alt'] ?? ''),
  },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'description' },
    ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});
