import type { Findings } from '@belfry/runtime';
import type pg from 'pg';
import { readDatabaseTime } from './status-queries';

/** In ms since the epoch: PostgreSQL's clock, and ours before and after the question. */
export type ClockReading = { beforeMs: number; databaseMs: number; afterMs: number };

export async function readClocks(pool: pg.Pool): Promise<ClockReading> {
  const beforeMs = Date.now();
  const databaseMs = await readDatabaseTime(pool);
  return { beforeMs, databaseMs, afterMs: Date.now() };
}

/** Machines that run NTP differ by less than 0.1 s. */
const warnedSkewMs = 2_000;
/**
 * Two-step codes are valid for 30 s. Further limits: 60 s for readers' tokens, 5 minutes for signatures of webhooks. Due
 * times and leases are PostgreSQL's; IDs, their order in the log, and schedules are ours.
 */
const refusedSkewMs = 30_000;

/** Compares the clocks. `skewMs` is positive if ours is ahead; what the round trip may explain does not count. */
export function judgeClock({ beforeMs, databaseMs, afterMs }: ClockReading): Findings & {
  skewMs: number;
} {
  const skewMs = Math.round(Math.max(0, beforeMs - databaseMs) - Math.max(0, databaseMs - afterMs));
  const differenceMs = Math.abs(skewMs);
  const seconds = (differenceMs / 1_000).toFixed(1);
  const problem =
    `The clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} PostgreSQL's. ` +
    'Correct the one that is wrong: run NTP (chrony or systemd-timesyncd) on both machines.';
  return {
    skewMs,
    refusals: differenceMs > refusedSkewMs ? [problem] : [],
    warnings: differenceMs > warnedSkewMs && differenceMs <= refusedSkewMs ? [problem] : [],
  };
}
