import { TextDecoder, TextEncoder } from 'node:util';

// Browsers have these; jsdom does not.
Object.assign(globalThis, { TextDecoder, TextEncoder });
