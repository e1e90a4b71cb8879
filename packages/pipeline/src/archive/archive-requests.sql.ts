import type { Queryable } from '@belfry/database';
import type { Archive } from './archive';
import { type ArchivedRequest, type LineCounts, readLines } from './archive-lines.sql';

/** `day` is that of the request in UTC. */
type StoredRequest = ArchivedRequest & { appId: string; day: string };

/** Longer than the store may take for a file. */
const idleTimeoutMs = 15 * 60_000;

/**
 * Archives locked requests within the transaction that will remove them: one file for each app and day. Returns how many rows
 * of each type the files have.
 */
export async function archiveRequests(
  database: Queryable,
  archive: Archive,
  requests: readonly StoredRequest[],
): Promise<LineCounts> {
  // Times are written in UTC, so that a repeated run writes the same bytes.
  await database.query({
    text: `SELECT set_config('TimeZone', 'UTC', true), set_config('idle_in_transaction_session_timeout', $1, true)`,
    values: [String(idleTimeoutMs)],
  });
  const counts: LineCounts = new Map();
  for (const [folder, group] of groupByFolder(requests)) {
    // The id of the first request tells apart the files of one day. Once the request is removed, no other file starts with it.
    const name = `${folder}/${group[0]?.id}`;
    await archive.write(name, readLines(database, group, counts));
  }
  return counts;
}

export function getFolder({ appId, day }: StoredRequest): string {
  return `${appId}/${day}`;
}

function groupByFolder(requests: readonly StoredRequest[]): Map<string, StoredRequest[]> {
  const groups = new Map<string, StoredRequest[]>();
  for (const request of requests) {
    const folder = getFolder(request);
    const group = groups.get(folder);
    if (group) group.push(request);
    else groups.set(folder, [request]);
  }
  return groups;
}
