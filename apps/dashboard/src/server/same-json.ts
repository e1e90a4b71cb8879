import { isDeepStrictEqual } from 'node:util';

/** Compares two values as JSON, ignoring key order, because PostgreSQL reorders object keys. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}
