import type { ChildProcess } from 'node:child_process';
import { Queue } from 'bullmq';
import {
  type BenchContext,
  emptyStores,
  getRoundsOptions,
  listCpu,
  summarizeLines,
  withCosts,
} from './bench-context';
import {
  queueBacklog,
  readDeliveredPerSecond,
  waitUntilDelivered,
  writeDeliveryBacklog,
} from './delivery-backlog';
import { type BenchMember, startPart } from './members';
import { createSeries, runRounds, type Series } from './rounds';
import { computeStageTimes, readStageCounts } from './stage-times';
import { computeRatio, computeSpread } from './statistics';

const noOpQueue = 'no-op';

/** The line (e): the delivery rate of a worker, compared with a worker that does nothing. */
export async function measureDelivery(context: BenchContext) {
  const series = createSeries();
  await measureInside(context, series);
  for (const delayMs of context.isQuick ? [150] : [25, 150])
    await measureOverHttp(context, series, delayMs);
  return { lines: summarizeLines(series), ratios: computeRatios(series) };
}

function computeRatios(series: Series) {
  const getPerSecond = (line: string) => series.getValues(line, 'perSecond');
  const possible = 200 / 0.15;
  return {
    delivery_vs_noop: computeRatio(
      getPerSecond(formatOwnLine(100)),
      getPerSecond(formatNoOpLine(100)),
    ),
    delivery_vs_noop_200: computeRatio(
      getPerSecond(formatOwnLine(200)),
      getPerSecond(formatNoOpLine(200)),
    ),
    slow_provider_part_of_possible: computeSpread(
      getPerSecond(formatHttpLine(150)).map((each) => each / possible),
    ).median,
  };
}

const formatNoOpLine = (inFlight: number) => `no-op BullMQ worker, ${inFlight} in flight`;
const formatOwnLine = (inFlight: number) => `provider in the process, ${inFlight} in flight`;
const formatHttpLine = (delayMs: number) =>
  `provider over HTTP that takes ${delayMs} ms, 200 in flight`;

async function measureInside(context: BenchContext, series: Series): Promise<void> {
  const messages = context.isQuick ? 5_000 : 15_000;
  for (const inFlight of context.isQuick ? [100] : [100, 200]) {
    const url = `${context.world.redisUrl}/1`;
    const noOp = await startPart('no-op', 'no-op-worker-main.js', [
      noOpQueue,
      url,
      String(inFlight),
    ]);
    const worker = await context.world.startWorker('deliver-sms', {
      isProviderInside: true,
      env: { MESSAGES_IN_FLIGHT: String(inFlight) },
    });
    try {
      const round = async (into: Series) => {
        into.add(formatNoOpLine(inFlight), await drainNoOp(context, noOp, messages));
        into.add(formatOwnLine(inFlight), await deliver(context, worker, messages));
      };
      await round(createSeries());
      await runRounds(getRoundsOptions(context, { quickMs: 20_000, fullMs: 90_000 }), (index) => {
        context.onProgress(`delivery, ${inFlight} in flight: round ${index + 1}`);
        return round(series);
      });
    } finally {
      await Promise.all([worker.stop(), noOp.stop()]);
    }
  }
}

async function measureOverHttp(
  context: BenchContext,
  series: Series,
  delayMs: number,
): Promise<void> {
  const provider = await startPart('provider', 'provider-main.js', [String(delayMs)]);
  const worker = await startWorkerFor(context, provider);
  const messages = context.isQuick ? 1_400 : 8_000;
  try {
    await deliver(context, worker, messages);
    await runRounds(
      getRoundsOptions(context, { quickMs: 14_000, fullMs: 70_000 }),
      async (index) => {
        context.onProgress(`delivery to a provider of ${delayMs} ms: round ${index + 1}`);
        series.add(formatHttpLine(delayMs), await deliver(context, worker, messages));
      },
    );
  } finally {
    await Promise.all([worker.stop(), provider.stop()]);
  }
}

function startWorkerFor({ world }: BenchContext, provider: BenchMember): Promise<BenchMember> {
  return world.startWorker('deliver-sms', {
    env: { MESSAGES_IN_FLIGHT: '200', TWILIO_API_URL: provider.url },
  });
}

const longestDeliveryMs = 60_000;

/** Messages per second that the running worker delivers of this many, with their costs and the stages that hold a slot. */
async function deliver(
  context: BenchContext,
  { pid, metricsUrl }: BenchMember,
  messages: number,
): Promise<Record<string, number>> {
  context.signal.throwIfAborted();
  await emptyStores(context);
  const backlog = await writeDeliveryBacklog(context, messages);
  const stagesBefore = await readStageCounts([metricsUrl]);
  const { cpuUs } = await withCosts(
    context,
    { pids: { node: [pid] }, count: () => messages },
    async () => {
      await queueBacklog(context, backlog);
      if (await waitUntilDelivered(context, longestDeliveryMs)) return;
      context.onProgress(
        'not everything was delivered in time: the figure covers the delivered part',
      );
    },
  );
  const { claim, call } = computeStageTimes(stagesBefore, await readStageCounts([metricsUrl]));
  return {
    perSecond: await readDeliveredPerSecond(context),
    ...listCpu(cpuUs),
    claimP50Ms: claim.p50Ms,
    callP50Ms: call.p50Ms,
  };
}

const jobsAtOnce = 1_000;

async function drainNoOp(
  context: BenchContext,
  { child, pid }: BenchMember & { child: ChildProcess },
  messages: number,
): Promise<Record<string, number>> {
  const { world, signal } = context;
  signal.throwIfAborted();
  const queue = new Queue(noOpQueue, { connection: { url: `${world.redisUrl}/1` } });
  try {
    await queue.pause();
    for (let from = 0; from < messages; from += jobsAtOnce) {
      const jobs = Array.from({ length: Math.min(jobsAtOnce, messages - from) }, (_, index) => ({
        name: 'deliver',
        data: { id: `${from + index}` },
      }));
      await queue.addBulk(jobs);
    }
    const drained = new Promise<number>((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error('The no-op worker did not finish within the time limit')),
        longestDeliveryMs,
      );
      child.once('message', ({ perSecond }: { perSecond: number }) => {
        clearTimeout(limit);
        resolve(perSecond);
      });
    });
    const { perSecond, cpuUs } = await withCosts(
      context,
      { pids: { node: [pid] }, count: () => messages },
      async () => {
        child.send({ jobs: messages });
        await queue.resume();
        return { perSecond: await drained };
      },
    );
    return { perSecond, ...listCpu(cpuUs) };
  } finally {
    await queue.close();
  }
}
