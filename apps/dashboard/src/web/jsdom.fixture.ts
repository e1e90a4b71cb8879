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

// Browsers have these; jsdom does not.
Object.assign(globalThis, { TextDecoder, TextEncoder, Request: NavigationRequest });
Element.prototype.scrollIntoView = () => undefined;
