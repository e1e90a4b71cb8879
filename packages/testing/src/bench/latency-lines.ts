import type { ChildProcess } from 'node:child_process';
import { type BenchContext, emptyStores, waitForPublishedCapacity } from './bench-context';
import { waitUntilDelivered } from './delivery-backlog';
import type { Sample } from './load-types';
import { startPart } from './members';
import { computeQuantile, round } from './statistics';
import { systemTargets } from './system-lines';

export type Latency = {
  perSecond: number;
  sends: number;
  /** From the start of the call to the provider call. */
  p50Ms: number;
  p99Ms: number;
  /** From the start of the call to its answer. */
  answerP50Ms: number;
  answerP99Ms: number;
};

const idlePerSecond = 25;

/** The line (f): from the call to the provider call, when idle and at half of the system's maximum rate. */
export async function measureLatency(context: BenchContext, wholePerSecond: number) {
  const provider = await startPart('provider', 'provider-main.js', ['0']);
  const worker = await context.world.startWorker('deliver-sms,relay', {
    env: { TWILIO_API_URL: provider.url },
  });
  const gateway = await context.world.startGateway();
  const sending = (perSecond: number, connections: number, durationMs: number) =>
    measure(
      { context, child: provider.child, targets: systemTargets(context, [gateway]) },
      { perSecond, connections, durationMs },
    );
  try {
    context.onProgress('latency: warming up');
    await sending(200, 8, 2_000);
    context.onProgress('latency: idle');
    const idle = await sending(idlePerSecond, 4, context.isQuick ? 10_000 : 40_000);
    const half = Math.max(idlePerSecond, Math.floor(wholePerSecond / 2));
    // Few calls leave a process cold: V8 compiles hot code only, and until then a call costs up to three times as much.
    context.onProgress('latency: warming up to half load');
    await sending(half, 64, context.isQuick ? 4_000 : 10_000);
    context.onProgress('latency: half load');
    const halfLoad = await sending(half, 64, context.isQuick ? 3_000 : 20_000);
    return { idle, halfLoad };
  } finally {
    await Promise.all([gateway.stop(), worker.stop(), provider.stop()]);
  }
}

type Sending = {
  context: BenchContext;
  child: ChildProcess;
  targets: ReturnType<typeof systemTargets>;
};

async function measure(
  { context, child, targets }: Sending,
  pace: { perSecond: number; connections: number; durationMs: number },
): Promise<Latency> {
  await emptyStores(context);
  await waitForPublishedCapacity(context);
  await readCalls(child);
  const { samples, nextNumber, failedCalls } = await context.world.load.run({
    targets,
    ...pace,
    firstNumber: context.numbers.next,
    keepsSamples: true,
  });
  context.numbers.next = nextNumber;
  if (failedCalls > 0) throw new Error(`${failedCalls} calls failed`);
  await waitUntilDelivered(context, 20_000);
  const calledAt = new Map(await readCalls(child));
  return computeLatency(samples, calledAt, pace.perSecond);
}

function computeLatency(
  samples: Sample[],
  calledAt: Map<string, number>,
  perSecond: number,
): Latency {
  const reached = samples.flatMap(({ number, sentAtMs }) => {
    const atMs = calledAt.get(`+1${number}`);
    return atMs === undefined ? [] : [atMs - sentAtMs];
  });
  if (reached.length < samples.length) {
    throw new Error(`${samples.length - reached.length} sends did not reach the provider`);
  }
  const answered = samples.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs);
  const quantile = (values: number[], part: number) =>
    round(
      computeQuantile(
        values.toSorted((a, b) => a - b),
        part,
      ),
    );
  return {
    perSecond,
    sends: samples.length,
    p50Ms: quantile(reached, 0.5),
    p99Ms: quantile(reached, 0.99),
    answerP50Ms: quantile(answered, 0.5),
    answerP99Ms: quantile(answered, 0.99),
  };
}

function readCalls(child: ChildProcess): Promise<[string, number][]> {
  return new Promise((resolve) => {
    child.once('message', ({ calls }: { calls: [string, number][] }) => resolve(calls));
    child.send({});
  });
}
