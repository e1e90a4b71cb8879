import {
  createLoop,
  type Logger,
  newId,
  type RedisConnection,
  waitForRedis,
  withinTime,
} from '@belfry/runtime';
import type { Queryable } from '../transaction';
import {
  createInstallation,
  pauseInstallation,
  readInstallation,
  readPlace,
  recordCheck,
} from './installation.sql';
import { judgeInstallation, type StoredInstallation } from './judge-installation';
import type { PauseReason } from './pause-reasons';
import { readMarker, writeMarker } from './redis-marker';

export type InstallationWatchDeps = {
  pool: Queryable;
  redis: RedisConnection;
  prefix: string;
  log: Logger;
  /** Called after each check, with the state. */
  onChecked?(state: InstallationState): void;
};

/** `pause` is undefined while the installation may send. */
export type InstallationState = { id: string; pause: PauseReason | undefined };

/** Tells a process whether its database is the real installation or a restored copy. */
export type InstallationWatch = {
  /** Resolves after the first check, or after some seconds without an answer. */
  start(): Promise<void>;
  /** Undefined until both stores answered. */
  getState(): InstallationState | undefined;
  close(): Promise<void>;
};

const checkEveryMs = 5_000;
const repeatMs = 500;
const firstCheckTimeoutMs = 5_000;
/** A connection that was just opened needs milliseconds. */
const redisTimeoutMs = 2_000;

/** Checks at the start and every 5 s. If a store does not answer, the last state stays. */
export function createInstallationWatch(deps: InstallationWatchDeps): InstallationWatch {
  let state: InstallationState | undefined;

  async function check(): Promise<void> {
    try {
      const next = await checkInstallation(deps, state);
      if (!next) return;
      if (next.pause !== state?.pause) logChange(deps.log, next, state);
      state = next;
      deps.onChecked?.(next);
    } catch (error) {
      deps.log.debug('installation.not_checked', { error });
    }
  }

  const loop = createLoop(check, () => (state ? checkEveryMs : repeatMs));
  return {
    async start() {
      await waitForRedis(deps.redis, redisTimeoutMs);
      await withinTime(check(), firstCheckTimeoutMs);
      loop.start();
    },
    getState: () => state,
    close: loop.close,
  };
}

function logChange(log: Logger, { pause }: InstallationState, last?: InstallationState): void {
  if (pause) log.warn('installation.paused', { reason: pause });
  else if (last) log.info('installation.resumed');
}

async function checkInstallation(
  deps: InstallationWatchDeps,
  last: InstallationState | undefined,
): Promise<InstallationState | undefined> {
  const { pool } = deps;
  // Redis first: its marker is written after the row, so a marker that is newer than the row means a restored row.
  const marker = await readMarker(deps);
  const place = await readPlace(pool);
  const stored = await readOrCreate(pool);
  const { id } = stored;
  const pause = judgeInstallation({ stored, place, marker });
  if (pause) {
    if (!stored.pausedAt) await pauseInstallation(pool, id, pause);
    return { id, pause };
  }
  // Without Redis, nobody knows whether the row is older than its marker.
  if (marker === undefined) return last && { id, pause };
  const checkedAt = await recordCheck(pool, { id, place });
  if (checkedAt) await writeMarker(deps, { id, checkedAt });
  return { id, pause };
}

async function readOrCreate(pool: Queryable): Promise<StoredInstallation> {
  const existing = await readInstallation(pool);
  if (existing) return existing;
  await createInstallation(pool, newId());
  const created = await readInstallation(pool);
  if (!created) throw new Error('The installation has no row');
  return created;
}
