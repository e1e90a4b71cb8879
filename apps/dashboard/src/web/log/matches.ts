import type { FindResult } from '../../api/find';

/**
 * Matches with different results: a stored user and the requests that name the user are one filter. Users whose ID or
 * address only begins with the text are left out if anything matches all of it.
 */
export function mergeMatches(found: readonly FindResult[]): FindResult[] {
  const byTarget = new Map<string, FindResult>();
  const exact = found.filter(({ isPrefixMatch }) => isPrefixMatch !== true);
  for (const match of exact.length > 0 ? exact : found) {
    const { appId, filters, resendId } = match;
    const key = JSON.stringify([appId, filters ?? resendId]);
    if (!byTarget.has(key)) byTarget.set(key, match);
  }
  return [...byTarget.values()];
}
