import { setTimeout as wait } from 'node:timers/promises';
import { channelVersion, createFactories, type Tenant } from '../factories';
import { firstPhone } from './bench-context';
import { readMemoryMb } from './process-costs';
import { readLogPlan } from './soak-plan';
import { judgeSoak, type SoakSample, type SoakVerdict } from './soak-verdict';
import { type BenchWorld, openBenchWorld } from './world';

export type SoakOptions = {
  sends: number;
  signal: AbortSignal;
  onProgress(line: string): void;
};

export type SoakReport = SoakVerdict & { sends: number; seconds: number; samples: SoakSample[] };

const connections = 64;
/** Without idempotency keys, whose entries stay in Redis until they expire. */
const firstSends = 1_000;
const samples = 40;
/** The maximum backlog before the next sends: accepting is faster than capturing. */
const mostWaiting = 2_000;

/** Sends through the sandbox, and checks that only stored data grows. */
export async function runSoak({ sends, signal, onProgress }: SoakOptions): Promise<SoakReport> {
  const beganAtMs = performance.now();
  const world = await openBenchWorld();
  try {
    const tenant = await createSandbox(world);
    const gateway = await world.startGateway();
    const worker = await world.startWorker('all');
    const soak = {
      world,
      signal,
      target: buildTarget(tenant, gateway.url),
      pids: { gateway: gateway.pid, worker: worker.pid },
    };
    const soakSamples: SoakSample[] = [];
    let sent = 0;
    async function sendTo(total: number): Promise<void> {
      sent += await sendSome(soak, { calls: total - sent, firstNumber: firstPhone + sent });
      soakSamples.push(await takeSample(soak, sent));
      onProgress(formatSample(soakSamples.at(-1)));
    }
    await sendTo(Math.min(firstSends, sends));
    const planBefore = await readLogPlan(world.database, tenant.appId);
    for (let step = 1; step <= samples; step += 1) {
      await sendTo(Math.max(sent, Math.round((sends * step) / samples)));
    }
    const planAfter = await readLogPlan(world.database, tenant.appId);
    const stored = await countSent(world);
    const verdict = judgeSoak({ sends, stored, samples: soakSamples, planBefore, planAfter });
    const seconds = Math.round((performance.now() - beganAtMs) / 1_000);
    return { ...verdict, sends, seconds, samples: soakSamples };
  } finally {
    await world.close();
  }
}

async function createSandbox({ database }: BenchWorld): Promise<Tenant & { event: string }> {
  const factories = createFactories(database);
  const tenant = await factories.createTenant({ delivery: 'sandbox' });
  const { name } = await factories.createEvent(tenant, {
    sms: channelVersion({ text: 'Hello {{name}}' }),
  });
  return { ...tenant, event: name };
}

function buildTarget({ apiKey, appId, event }: Tenant & { event: string }, url: string) {
  return {
    url: `${url}/v1/apps/${appId}/events/send`,
    headers: { Authorization: `AuthKey ${apiKey}` },
    body: JSON.stringify({ event, user: { mobile: '+1##########' }, data: { name: 'Ana' } }),
  };
}

type Soak = {
  world: BenchWorld;
  signal: AbortSignal;
  target: ReturnType<typeof buildTarget>;
  pids: Record<'gateway' | 'worker', number>;
};

const longestSendingMs = 30 * 60_000;
const callsAtOnce = 5_000;

/** Sends as fast as messages are delivered; returns the number sent. */
async function sendSome(
  { world, signal, target }: Soak,
  { calls, firstNumber }: { calls: number; firstNumber: number },
): Promise<number> {
  let sent = 0;
  while (sent < calls) {
    signal.throwIfAborted();
    const result = await world.load.run({
      targets: [target],
      connections,
      calls: Math.min(callsAtOnce, calls - sent),
      durationMs: longestSendingMs,
      firstNumber: firstNumber + sent,
    });
    if (result.failedCalls > 0)
      throw new Error(`${result.failedCalls} of ${result.calls} calls failed`);
    sent += result.calls;
    await waitUntilFewAreWaiting(world, signal, mostWaiting);
  }
  await waitUntilFewAreWaiting(world, signal, 0);
  return sent;
}

const pollMs = 200;
const longestDeliveryMs = 10 * 60_000;

async function waitUntilFewAreWaiting(
  { database }: BenchWorld,
  signal: AbortSignal,
  most: number,
): Promise<void> {
  const deadline = performance.now() + longestDeliveryMs;
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await database.delivery.query(
      'SELECT 1 FROM message WHERE due_at IS NOT NULL OFFSET $1 LIMIT 1',
      [most],
    );
    if (rows.length === 0) return;
    if (performance.now() > deadline)
      throw new Error('The accepted messages were not delivered within the time limit');
    await wait(pollMs);
  }
}

async function takeSample({ world, pids }: Soak, sends: number): Promise<SoakSample> {
  const memory = /used_memory:(\d+)/.exec(await world.redis.info('memory'))?.[1];
  return {
    sends,
    gatewayMb: readMemoryMb(pids.gateway) ?? 0,
    workerMb: readMemoryMb(pids.worker) ?? 0,
    redisKb: Math.round(Number(memory) / 1024),
  };
}

function formatSample(sample: SoakSample | undefined): string {
  return Object.entries(sample ?? {})
    .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
    .join('  ');
}

async function countSent({ database }: BenchWorld): Promise<number> {
  const { rows } = await database.delivery.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM message WHERE state = 'sent'",
  );
  return rows[0]?.n ?? 0;
}
