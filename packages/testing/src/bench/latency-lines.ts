import type { ChildProcess } from 'node:child_process';
import { type BenchContext, emptyStores, waitForPublishedCapacity } from './bench-context';
import { waitUntilDelivered } from './delivery-backlog';
import type { Sample } from './load-types';
import { type BenchMember, startPart } from './members';
import { computeStageTimes, readStageCounts, type StageTimes } from './stage-times';
import { computeQuantile, computeSpread, round } from './statistics';
import { systemRound, systemTargets } from './system-lines';

export type Latency = {
  perSecond: number;
  sends: number;
  /** From the start of the call to the provider call. */
  p50Ms: number;
  p99Ms: number;
  /** From the start of the call to its answer. */
  answerP50Ms: number;
  answerP99Ms: number;
  /** Messages that were due for over 1 s when the last call was answered. */
  backlogAtEnd: number;
};

export type MeasuredLoad = { latency: Latency; stages: StageTimes };

const idlePerSecond = 25;

/**
 * The line (f): from the call to the provider call, when idle, and at half and 80 % of the capacity. The capacity is measured
 * with the same processes: unlike in the line "whole system", the provider is another process that shares the cores.
 */
export async function measureLatency(context: BenchContext) {
  const provider = await startPart('provider', 'provider-main.js', ['0']);
  const worker = await context.world.startWorker('deliver-sms,relay', {
    env: { TWILIO_API_URL: provider.url },
  });
  const gateway = await context.world.startGateway();
  const sending = (perSecond: number, connections: number, durationMs: number) =>
    measure(
      {
        ...{ context, child: provider.child, members: [gateway, worker] },
        targets: systemTargets(context, [gateway]),
      },
      { perSecond, connections, durationMs },
    );
  try {
    // First, because it also warms up: V8 compiles hot code only, and until then a call costs up to three times as much.
    context.onProgress('latency: capacity');
    const capacity = await measureCapacity(context, gateway);
    context.onProgress('latency: idle');
    const idle = await sending(idlePerSecond, 4, context.isQuick ? 10_000 : 40_000);
    const partOfWhole = (part: number) => Math.max(idlePerSecond, Math.floor(capacity * part));
    const loadedMs = context.isQuick ? 5_000 : 20_000;
    context.onProgress('latency: half load');
    const halfLoad = await sending(partOfWhole(0.5), 64, loadedMs);
    context.onProgress('latency: 80 % load');
    const highLoad = await sending(partOfWhole(0.8), 64, loadedMs);
    return {
      capacity,
      idle: idle.latency,
      halfLoad: halfLoad.latency,
      highLoad: highLoad.latency,
      stages: { idle: idle.stages, halfLoad: halfLoad.stages, highLoad: highLoad.stages },
    };
  } finally {
    await Promise.all([gateway.stop(), worker.stop(), provider.stop()]);
  }
}

const capacityRounds = 3;
/** In rounds of 5 s after the start, two processes on two cores delivered 600, 1,090, 1,510 and 1,740 messages per second. */
const warmUpMs = 12_000;

/** Messages per second that are accepted and delivered. */
async function measureCapacity(context: BenchContext, gateway: BenchMember): Promise<number> {
  const measureRound = async (sliceMs: number) => {
    const figures = await systemRound(context, [gateway], { connections: 64, sliceMs });
    return figures['messagesPerSecond'] ?? Number.NaN;
  };
  await measureRound(warmUpMs);
  const rates: number[] = [];
  for (let count = 0; count < capacityRounds; count += 1) {
    rates.push(await measureRound(context.isQuick ? 2_500 : 8_000));
  }
  return computeSpread(rates).median;
}

export type Sending = {
  context: BenchContext;
  child: ChildProcess;
  members: BenchMember[];
  targets: ReturnType<typeof systemTargets>;
};

async function measure(sending: Sending, pace: Pace): Promise<MeasuredLoad> {
  await emptyStores(sending.context);
  await waitForPublishedCapacity(sending.context);
  return sendAndMeasure(sending, pace);
}

export type Pace = { perSecond: number; connections: number; durationMs: number };

/** Sends for a time, waits until all messages are delivered, and matches the calls with those of the provider. */
export async function sendAndMeasure(
  { context, child, members, targets }: Sending,
  pace: Pace,
): Promise<MeasuredLoad> {
  await readCalls(child);
  const readStages = () => readStageCounts(members.map(({ metricsUrl }) => metricsUrl));
  const stagesBefore = await readStages();
  const { samples, nextNumber, failedCalls } = await context.world.load.run({
    targets,
    ...pace,
    firstNumber: context.numbers.next,
    keepsSamples: true,
  });
  context.numbers.next = nextNumber;
  if (failedCalls > 0) throw new Error(`${failedCalls} calls failed`);
  const backlogAtEnd = await countBacklog(context);
  await waitUntilDelivered(context, 20_000);
  const stages = computeStageTimes(stagesBefore, await readStages());
  const calledAt = new Map(await readCalls(child));
  const latency = computeLatency(samples, calledAt, pace.perSecond);
  return { latency: { ...latency, backlogAtEnd }, stages };
}

async function countBacklog({ world }: BenchContext): Promise<number> {
  const { rows } = await world.database.delivery.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM message WHERE state = 'queued' AND due_at < now() - interval '1 s'",
  );
  return rows[0]?.n ?? 0;
}

function computeLatency(
  samples: Sample[],
  calledAt: Map<string, number>,
  perSecond: number,
): Omit<Latency, 'backlogAtEnd'> {
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
