import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createNameReader, createWakeReader } from '@belfry/pipeline/operate';
import { newId } from '@belfry/runtime';
import { createFactories, testSecrets } from '../factories';
import { signReaderToken } from '../reader-token';
import type { BenchContext } from './bench-context';
import { readMemoryMb } from './process-costs';
import { readSharedClockMs } from './shared-clock';
import type { StreamClientsOrder, StreamClientsReport } from './stream-clients-main';

const streamCount = 10_000;
const streamsPerUser = 2;
const measuredItems = 300;
const itemEveryMs = 20;
const openTimeoutMs = 180_000;
const itemTimeoutMs = 20_000;

export type StreamResults = Record<string, number>;

/**
 * 10,000 idle streams on one gateway: how long they take to open when all clients come at once, the gateway's memory, and
 * how long a new item takes from its commit to all streams of its user.
 */
export async function measureStreams(context: BenchContext): Promise<StreamResults> {
  const { world, onProgress } = context;
  const { appId } = world.tenant;
  const secret = await createFactories(world.database).createInboxSecret(world.tenant);
  const gateway = await world.startGateway({ env: { MAX_INBOX_STREAMS: String(2 * streamCount) } });
  const memoryBefore = readMemoryMb(gateway.pid) ?? 0;
  const userIds = Array.from({ length: streamCount / streamsPerUser }, (_, index) => `u${index}`);
  const streams = userIds.flatMap((userId) => {
    const token = signReaderToken(secret, { appId, userId });
    const target = `/v1/apps/${appId}/in_app_notifications/stream`;
    return Array.from({ length: streamsPerUser }, () => ({ path: target, token }));
  });
  const clients = startClients({ port: Number(new URL(gateway.url).port), streams });
  try {
    onProgress(`streams: opening ${streamCount}`);
    const openingSinceMs = performance.now();
    await waitUntil(
      () => clients.report.opened >= streamCount,
      openTimeoutMs,
      () => `of ${streamCount} streams, ${clients.report.opened} were open`,
    );
    const openMs = Math.round(performance.now() - openingSinceMs);
    const memoryIdle = readMemoryMb(gateway.pid) ?? 0;
    onProgress('streams: new items');
    await addItems(context, userIds);
    const expected = measuredItems * streamsPerUser;
    await waitUntil(
      () => clients.latenciesMs.length >= expected,
      itemTimeoutMs,
      () => `of ${expected} items, ${clients.latenciesMs.length} reached their streams`,
    );
    const sorted = clients.latenciesMs.toSorted((a, b) => a - b);
    const pick = (share: number) =>
      Math.round((sorted[Math.floor(share * sorted.length)] ?? 0) * 10) / 10;
    return {
      streams: clients.report.opened,
      openMs,
      openingFailed: clients.report.failed,
      closed: clients.report.closed,
      memoryBeforeMb: memoryBefore,
      memoryIdleMb: memoryIdle,
      memoryAfterMb: readMemoryMb(gateway.pid) ?? 0,
      itemP50Ms: pick(0.5),
      itemP99Ms: pick(0.99),
      itemLongestMs: Math.round((sorted.at(-1) ?? 0) * 10) / 10,
    };
  } finally {
    clients.close();
    await gateway.stop();
  }
}

function startClients(order: StreamClientsOrder) {
  const child = fork(path.join(__dirname, 'stream-clients-main.js'), [], {
    serialization: 'advanced',
  });
  const latenciesMs: number[] = [];
  const clients = {
    report: { opened: 0, closed: 0, failed: 0, latenciesMs: [] } as StreamClientsReport,
    latenciesMs,
    close: () => child.kill('SIGKILL'),
  };
  child.on('message', (report: StreamClientsReport) => {
    clients.report = report;
    latenciesMs.push(...report.latenciesMs);
  });
  child.send(order);
  return clients;
}

/** Writes items as a worker does, one after another for different users. The title is the time of the commit. */
async function addItems({ world }: BenchContext, userIds: readonly string[]): Promise<void> {
  const { appId } = world.tenant;
  const nameReader = createNameReader(testSecrets());
  const wakeReader = createWakeReader({ redis: world.redis, prefix: world.prefix, nameReader });
  const step = Math.floor(userIds.length / measuredItems);
  for (let number = 0; number < measuredItems; number += 1) {
    const userId = userIds[number * step] ?? '';
    const title = String(readSharedClockMs());
    await world.database.delivery.query(
      `INSERT INTO inbox_item (id, app_id, user_id, message_id, content)
       VALUES ($1, $2, $3, gen_random_uuid(), jsonb_build_object('title', $4::text))`,
      [newId(), appId, userId, title],
    );
    wakeReader({ appId, userId });
    await wait(itemEveryMs);
  }
}

async function waitUntil(
  isTrue: () => boolean,
  timeoutMs: number,
  describe: () => string,
): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > endsAtMs) throw new Error(`After ${timeoutMs} ms, ${describe()}`);
    await wait(100);
  }
}
