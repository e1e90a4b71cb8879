import { TextDecoder, TextEncoder } from 'node:util';

/** React Router describes a navigation by a request, which no page here sends. */
class NavigationRequest {
  readonly method = 'GET';
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  constructor(url: string, { signal }: { signal?: AbortSignal } = {}) {
    this.url = url;
    this.signal = signal;
  }
}

/** The window matches no media query. */
const matchMedia = () => ({
  matches: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
});

// Browsers have these; jsdom does not.
Object.assign(globalThis, { TextDecoder, TextEncoder, Request: NavigationRequest, matchMedia });
Element.prototype.scrollIntoView = () => undefined;

/** The element `search` of the HTML standard is an unknown one in jsdom. */
const { createElement } = Document.prototype;
Document.prototype.createElement = function createKnownElement(
  this: Document,
  name: string,
  options?: ElementCreationOptions,
) {
  const element = createElement.call(this, name, options);
  if (name === 'search')
    Object.defineProperty(element, Symbol.toStringTag, { value: 'HTMLElement' });
  return element;
};

/** `wbr` is inline by the HTML standard; as a block, it would put a space into an accessible name. */
const sheet = document.createElement('style');
sheet.textContent = 'wbr { display: inline }';
document.head.append(sheet);
