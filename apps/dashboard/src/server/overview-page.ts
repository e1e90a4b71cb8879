import {
  computePercentileMs,
  countTimes,
  type FailureCount,
  type LatencyCount,
  type OverviewRow,
  type RateRow,
  rateSlotSeconds,
  type WaitRow,
} from '@belfry/pipeline/operate';
import { noReason } from '@belfry/shared';
import type {
  OverviewBacklog,
  OverviewCounts,
  OverviewFailure,
  OverviewLatency,
  OverviewPeriod,
  OverviewPoint,
} from '../api/overview';
import { sortByChannel } from './channel-order';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const steps: Record<OverviewPeriod, { stepMs: number; points: number }> = {
  hour: { stepMs: minuteMs, points: 60 },
  day: { stepMs: 15 * minuteMs, points: 96 },
  week: { stepMs: 2 * hourMs, points: 84 },
};

export type Period = { from: number; to: number; stepMs: number; points: number };

/** Whole steps, of which the last one contains `now`. */
export function createPeriod(period: OverviewPeriod, now: number): Period {
  const { stepMs, points } = steps[period];
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: to - points * stepMs, to, stepMs, points };
}

type Counted = { rows: readonly OverviewRow[]; latencies: readonly LatencyCount[] };

/** Totals and points, of all channels together and of each. */
export function summarize(period: Period, counted: Counted) {
  const channels = [...new Set(counted.rows.map(({ channel }) => channel))];
  return {
    ...summarizeRows(period, counted),
    channels: sortByChannel(channels).map((channel) => ({
      channel,
      ...summarizeRows(period, {
        rows: counted.rows.filter((row) => row.channel === channel),
        latencies: counted.latencies.filter((row) => row.channel === channel),
      }),
    })),
  };
}

function summarizeRows(period: Period, { rows, latencies }: Counted) {
  const totals = sumCounts(rows);
  const points = Array.from(
    { length: period.points },
    (_, at): OverviewPoint => ({
      at: period.from + at * period.stepMs,
      ...sumCounts(rows.filter(({ point }) => point === at)),
      latency: computeLatency(latencies.filter(({ point }) => point === at)),
    }),
  );
  const { sent, delivered, read, failed, unknown } = totals;
  const tried = sent + delivered + read + failed + unknown;
  return {
    totals,
    failureRate: tried === 0 ? null : failed / tried,
    latency: computeLatency(latencies),
    points,
  };
}

function sumCounts(rows: readonly OverviewRow[]): OverviewCounts {
  const sum = (name: keyof OverviewCounts) => rows.reduce((all, row) => all + row[name], 0);
  return {
    waiting: sum('waiting'),
    sent: sum('sent'),
    delivered: sum('delivered'),
    read: sum('read'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    unknown: sum('unknown'),
  };
}

function computeLatency(counts: readonly LatencyCount[]): OverviewLatency | null {
  const histogram = new Map<number, number>();
  for (const { bucket, messages } of counts)
    histogram.set(bucket, (histogram.get(bucket) ?? 0) + messages);
  const [p50Ms, p95Ms] = [
    computePercentileMs(histogram, 0.5),
    computePercentileMs(histogram, 0.95),
  ];
  if (p50Ms === undefined || p95Ms === undefined) return null;
  return { messages: countTimes(histogram), p50Ms, p95Ms };
}

/** The filter of the log that shows the messages of a failure. */
export function toFailure({ from, to }: Period, failure: FailureCount): OverviewFailure {
  const { channel, reason } = failure;
  const period = { from: String(from), to: String(to) };
  const filters = { ...period, channel, state: 'failed', reason: reason || noReason };
  return { ...failure, filters };
}

const rateMs = 5 * minuteMs;

/** Time to drain at the rate at which providers accepted messages in the last 5 minutes. */
export function listBacklog(
  waits: readonly Pick<WaitRow, 'channel' | 'reason' | 'messages' | 'isCapped'>[],
  rates: readonly RateRow[],
): OverviewBacklog[] {
  const slots = rateMs / (rateSlotSeconds * 1_000);
  return waits
    .filter(({ reason, messages }) => reason === 'due' && messages > 0)
    .map(({ channel, messages: waiting, isCapped }) => {
      const accepted = rates
        .filter((row) => row.channel === channel && row.slotsAgo < slots)
        .reduce((sum, row) => sum + row.accepted, 0);
      const perSecond = accepted / (rateMs / 1_000);
      const drainMs = perSecond > 0 ? (waiting / perSecond) * 1_000 : null;
      return { channel, waiting, isCapped, perSecond, drainMs };
    });
}
