import type { FindResult } from '../../api/find';

/** Matches with different results: a stored user and the requests that name the user are one filter. */
export function mergeMatches(found: readonly FindResult[]): FindResult[] {
  const byTarget = new Map<string, FindResult>();
  for (const match of found) {
    const { appId, filters, resendId } = match;
    const key = JSON.stringify([appId, filters ?? resendId]);
    if (!byTarget.has(key)) byTarget.set(key, match);
  }
  return [...byTarget.values()];
}
