import {
  type BenchContext,
  callHeaders,
  emptyStores,
  getRoundsOptions,
  sendBody,
  sendPath,
  summarizeLines,
  waitForPublishedCapacity,
} from './bench-context';
import { waitUntilDelivered } from './delivery-backlog';
import type { LoadTarget } from './load-types';
import type { BenchMember } from './members';
import { readMemoryMb } from './process-costs';
import { createSeries, runRounds } from './rounds';
import type { StartOptions } from './world';

export type SystemOptions = {
  connections: number;
  sliceMs: number;
  /** The data in the stores is kept. */
  keepsStored?: boolean;
};

/** As docs/how-to/scale.md advises. */
const relays = 2;

/** Gateways and workers, which deliver; the first two relay. Without `providerUrl` the provider is in the workers. */
export async function startWholeSystem(
  { world }: BenchContext,
  {
    gateways,
    workers,
    providerUrl,
    options = {},
  }: { gateways: number; workers: number; providerUrl?: string; options?: StartOptions },
) {
  const provider = providerUrl
    ? { env: { ...options.env, TWILIO_API_URL: providerUrl } }
    : { isProviderInside: true };
  const started = {
    gateways: await Promise.all(
      Array.from({ length: gateways }, () => world.startGateway(options)),
    ),
    workers: await Promise.all(
      Array.from({ length: workers }, (_, index) =>
        world.startWorker(index < relays ? 'deliver-sms,relay' : 'deliver-sms', {
          ...options,
          ...provider,
        }),
      ),
    ),
  };
  return {
    ...started,
    stop: () =>
      Promise.all([...started.gateways, ...started.workers].map((member) => member.stop())),
  };
}

/** Keyed single sends, half of them through each integration. */
export function systemTargets(context: BenchContext, gateways: BenchMember[]): LoadTarget[] {
  return gateways.flatMap(({ url }) =>
    context.world.events.sms.map(({ name }) => ({
      url: sendPath(context, url),
      headers: callHeaders(context, true),
      body: sendBody(name),
    })),
  );
}

const longestDrainMs = 20_000;

/** Sends load for a time, then waits until all accepted messages are delivered. */
export async function systemRound(
  context: BenchContext,
  gateways: BenchMember[],
  { connections, sliceMs, keepsStored = false }: SystemOptions,
): Promise<Record<string, number>> {
  context.signal.throwIfAborted();
  if (!keepsStored) await emptyStores(context);
  await waitForPublishedCapacity(context);
  const sentBefore = await countSent(context);
  const beganAtMs = performance.now();
  const result = await context.world.load.run({
    targets: systemTargets(context, gateways),
    connections,
    durationMs: sliceMs,
    firstNumber: context.numbers.next,
  });
  context.numbers.next = result.nextNumber;
  if (result.failedCalls > 0) throw new Error(`${result.failedCalls} calls failed`);
  const waitingAtEnd = await countWaiting(context);
  await waitUntilDelivered(context, longestDrainMs);
  const delivered = (await countSent(context)) - sentBefore;
  return {
    acceptedPerSecond: result.perSecond,
    messagesPerSecond: delivered / ((performance.now() - beganAtMs) / 1_000),
    waitingAtEnd,
    undelivered: result.calls - delivered,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
  };
}

/** The whole system on this machine: accepted and delivered, including the last message. */
export async function measureSystem(context: BenchContext) {
  const series = createSeries();
  const system = await startWholeSystem(context, { gateways: 1, workers: 1 });
  const options = { connections: 64, sliceMs: context.isQuick ? 2_000 : 8_000 };
  let memory: Record<string, number> = {};
  try {
    context.onProgress('whole system: warming up');
    await systemRound(context, system.gateways, { ...options, sliceMs: 3_000 });
    await runRounds(
      getRoundsOptions(context, { quickMs: 24_000, fullMs: 150_000 }),
      async (index) => {
        context.onProgress(`whole system: round ${index + 1}`);
        series.add('whole system', await systemRound(context, system.gateways, options));
      },
    );
    memory = readMemory({ gateway: system.gateways[0], worker: system.workers[0] });
  } finally {
    await system.stop();
  }
  return { connections: options.connections, lines: summarizeLines(series), memoryMb: memory };
}

function readMemory(members: Record<string, BenchMember | undefined>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => {
      const memory = member && readMemoryMb(member.pid);
      return memory === undefined ? [] : [[name, memory]];
    }),
  );
}

async function countWaiting({ world }: BenchContext): Promise<number> {
  return countRows(world, 'SELECT count(*)::int AS n FROM message WHERE due_at IS NOT NULL');
}

async function countSent({ world }: BenchContext): Promise<number> {
  return countRows(world, "SELECT count(*)::int AS n FROM message WHERE state = 'sent'");
}

async function countRows({ database }: BenchContext['world'], statement: string): Promise<number> {
  const { rows } = await database.delivery.query<{ n: number }>(statement);
  return rows[0]?.n ?? 0;
}
