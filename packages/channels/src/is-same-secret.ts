import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a text is the expected secret, in constant time. No text is an empty or absent secret. */
export function isSameSecret(actual: string, expected: unknown): boolean {
  if (typeof expected !== 'string' || expected === '') return false;
  // Digests have equal lengths, which hides the secret's length.
  return timingSafeEqual(digest(actual), digest(expected));
}

function digest(text: string): Buffer {
  return createHmac('sha256', '').update(text).digest();
}
