import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { type CallResult, createConnection, type LoadConnection } from './load-connection';
import { createRequests, type LoadRequest } from './load-requests';
import type { LoadResult, LoadSpec, Sample } from './load-types';
import { readSharedClockMs } from './shared-clock';

const bucketMs = 0.05;
const longestMs = 30_000;
const paceMs = 2;
/** Waits this long for the last answers after the load ends. */
const lastAnswersMs = 10_000;

/** Calls servers over kept-alive connections, and measures the latency. */
export async function runLoad(spec: LoadSpec): Promise<LoadResult> {
  const requests = createRequests(spec);
  const tally = createTally(spec.keepsSamples ?? false);
  const beganAtMs = performance.now();
  const end = spec.firstNumber + (spec.calls ?? Number.POSITIVE_INFINITY);
  const isOver = () =>
    performance.now() - beganAtMs >= spec.durationMs || requests.nextNumber() >= end;
  const connections = Array.from({ length: spec.connections }, (_, index) =>
    createConnection(requests.getAddress(index), tally.count),
  );
  await Promise.all(connections.map((connection) => connection.opened));
  const nextFor = (index: number) => (isOver() ? undefined : requests.next(index));
  if (spec.perSecond === undefined) {
    for (const [index, connection] of connections.entries()) {
      connection.callRepeatedly(() => nextFor(index));
    }
    await Promise.all(connections.map(({ ended }) => ended));
  } else {
    await pace(connections, spec, requests.next);
  }
  const tookMs = performance.now() - beganAtMs;
  for (const connection of connections) connection.close();
  return tally.result({ tookMs, nextNumber: requests.nextNumber() });
}

/**
 * Calls that are due while every connection is busy wait, and this wait counts. The timer delay of this process itself
 * does not count.
 */
async function pace(
  connections: LoadConnection[],
  { durationMs, perSecond = 1 }: LoadSpec,
  next: (index: number) => LoadRequest,
): Promise<void> {
  const beganAtMs = performance.now();
  const totalCalls = Math.floor((durationMs / 1_000) * perSecond);
  let startedCalls = 0;
  /** Calls below this number were already due at the previous check. */
  let waitingUntil = 0;

  function getDueAtMs(call: number): number | undefined {
    return call < waitingUntil ? beganAtMs + (call / perSecond) * 1_000 : undefined;
  }

  function callDue(elapsedMs: number): void {
    const due = Math.min(totalCalls, Math.floor((elapsedMs / 1_000) * perSecond) + 1);
    for (const [index, connection] of connections.entries()) {
      if (startedCalls >= due) break;
      if (connection.isBusy()) continue;
      connection.call(next(index), getDueAtMs(startedCalls));
      startedCalls += 1;
    }
    waitingUntil = Math.max(waitingUntil, due);
  }

  for (let elapsedMs = 0; elapsedMs < durationMs + lastAnswersMs; ) {
    await wait(paceMs);
    elapsedMs = performance.now() - beganAtMs;
    callDue(elapsedMs);
    if (startedCalls >= totalCalls && connections.every(({ isBusy }) => !isBusy())) return;
  }
}

function createTally(keepsSamples: boolean) {
  const buckets = new Uint32Array(longestMs / bucketMs + 1);
  const samples: Sample[] = [];
  let calls = 0;
  let failedCalls = 0;
  let longest = 0;

  function quantile(part: number): number {
    let remaining = calls * part;
    for (const [index, count] of buckets.entries()) {
      remaining -= count;
      if (remaining <= 0) return index * bucketMs;
    }
    return longestMs;
  }

  return {
    count({ number, isAccepted, sentAtMs }: CallResult): void {
      const now = performance.now();
      const tookMs = now - sentAtMs;
      calls += 1;
      if (!isAccepted) failedCalls += 1;
      longest = Math.max(longest, tookMs);
      const bucket = Math.min(Math.round(tookMs / bucketMs), buckets.length - 1);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      if (!keepsSamples) return;
      const answeredAtMs = readSharedClockMs();
      samples.push({ number, sentAtMs: answeredAtMs - tookMs, answeredAtMs });
    },
    result({ tookMs, nextNumber }: { tookMs: number; nextNumber: number }): LoadResult {
      return {
        calls,
        failedCalls,
        perSecond: calls / (tookMs / 1_000),
        p50Ms: quantile(0.5),
        p99Ms: quantile(0.99),
        longestMs: longest,
        nextNumber,
        samples,
      };
    },
  };
}
