import type { PauseReason } from './pause-reasons';

/** The stored row. */
export type StoredInstallation = {
  id: string;
  /** IDs from before a confirmation. */
  formerIds: string[];
  systemId: string | null;
  tableId: string | null;
  timeline: string | null;
  checkedAt: Date | null;
  pausedAt: Date | null;
  pauseReason: PauseReason | null;
};

/** Where the database is now. `systemId` and `timeline` are null if PostgreSQL does not tell. */
export type DatabasePlace = { systemId: string | null; tableId: string; timeline: string | null };

/** The ID of an installation in Redis, and a copy of its `checkedAt`. */
export type RedisMarker = { id: string; checkedAt: Date };

export type InstallationFacts = {
  stored: StoredInstallation;
  place: DatabasePlace;
  /** Undefined if Redis does not answer, null if it has none. */
  marker: RedisMarker | null | undefined;
};

/**
 * A promoted replica without synchronous replication may lack the last seconds. A database that lacks more would send
 * again as much as a restored one.
 */
export const toleratedLossMs = 60_000;

/**
 * Why this database may not send until an operator confirms it; undefined if it may. A failover alone, an emptied Redis
 * alone, and a restart are no reasons. docs/decisions/0033-restored-copies.md has the cases.
 */
export function judgeInstallation({
  stored,
  place,
  marker,
}: InstallationFacts): PauseReason | undefined {
  if (stored.pausedAt) return stored.pauseReason ?? 'operator';
  // Its first start.
  if (stored.tableId === null) return undefined;
  if (stored.tableId !== place.tableId || differs(stored.systemId, place.systemId)) return 'copied';
  if (marker === undefined) return undefined;
  if (marker === null) return differs(stored.timeline, place.timeline) ? 'new_stores' : undefined;
  return judgeMarker(marker, stored);
}

function judgeMarker(
  { id, checkedAt }: RedisMarker,
  stored: StoredInstallation,
): PauseReason | undefined {
  // An old copy of Redis knows an ID from before the last confirmation.
  if (stored.formerIds.includes(id)) return undefined;
  if (id !== stored.id) return 'other_redis';
  const storedMs = stored.checkedAt?.getTime() ?? 0;
  return checkedAt.getTime() - storedMs > toleratedLossMs ? 'behind_redis' : undefined;
}

/** An unknown value differs from none. */
function differs(stored: string | null, now: string | null): boolean {
  return stored !== null && now !== null && stored !== now;
}
