import { isDeepStrictEqual } from 'node:util';

/** Whether two values are the same once they are JSON: PostgreSQL orders the members of an object anew. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}
