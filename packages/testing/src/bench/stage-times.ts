import { type MessageStage, messageStages } from '@belfry/runtime';
import { round } from './statistics';

/** Messages at most so long in a stage, by the limit of each bucket in seconds; `+Inf` counts all. */
type Buckets = Map<number, number>;

export type StageCounts = Map<string, { buckets: Buckets; seconds: number }>;

export type StageTime = { meanMs: number; p50Ms: number; p99Ms: number };

export type StageTimes = Record<MessageStage, StageTime>;

/** Reads `belfry_message_stage_seconds` of several processes; each stage is counted by one of them. */
export async function readStageCounts(metricsUrls: readonly string[]): Promise<StageCounts> {
  const texts = await Promise.all(
    metricsUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()),
  );
  return parseStageCounts(texts.join('\n'));
}

const bucketLine = /^belfry_message_stage_seconds_bucket\{le="([^"]+)",stage="(\w+)"\} (\d+)$/gm;
const sumLine = /^belfry_message_stage_seconds_sum\{stage="(\w+)"\} (\S+)$/gm;

export function parseStageCounts(text: string): StageCounts {
  const counts: StageCounts = new Map();
  for (const [, stage = '', seconds] of text.matchAll(sumLine)) {
    counts.set(stage, { buckets: new Map(), seconds: Number(seconds) });
  }
  for (const [, limit, stage = '', count] of text.matchAll(bucketLine)) {
    counts.get(stage)?.buckets.set(Number(limit?.replace('+Inf', 'Infinity')), Number(count));
  }
  return counts;
}

/** The times of the messages between two readings. Quantiles are interpolated within their bucket, as Prometheus does. */
export function computeStageTimes(before: StageCounts, after: StageCounts): StageTimes {
  const entries = Object.keys(messageStages).map((stage) => {
    const { buckets, seconds } = subtract(after.get(stage), before.get(stage));
    const total = buckets.at(-1)?.count ?? 0;
    const toMs = (value: number) => round(value * 1_000);
    return [
      stage,
      {
        meanMs: toMs(seconds / total),
        p50Ms: toMs(interpolate(buckets, total * 0.5)),
        p99Ms: toMs(interpolate(buckets, total * 0.99)),
      },
    ];
  });
  // Safe cast: one entry for each stage.
  return Object.fromEntries(entries) as StageTimes;
}

type Stage = { buckets: Buckets; seconds: number };
type Bucket = { limit: number; count: number };

function subtract(after?: Stage, before?: Stage): { buckets: Bucket[]; seconds: number } {
  const limits = [...(after?.buckets.keys() ?? [])].sort((a, b) => a - b);
  return {
    buckets: limits.map((limit) => ({
      limit,
      count: (after?.buckets.get(limit) ?? 0) - (before?.buckets.get(limit) ?? 0),
    })),
    seconds: (after?.seconds ?? 0) - (before?.seconds ?? 0),
  };
}

/** The value below which `rank` of the counted values are. */
function interpolate(buckets: readonly Bucket[], rank: number): number {
  let previous: Bucket = { limit: 0, count: 0 };
  for (const bucket of buckets) {
    if (bucket.count >= rank && bucket.count > previous.count) {
      if (bucket.limit === Number.POSITIVE_INFINITY) return previous.limit;
      const part = (rank - previous.count) / (bucket.count - previous.count);
      return previous.limit + (bucket.limit - previous.limit) * part;
    }
    previous = bucket;
  }
  return Number.NaN;
}
