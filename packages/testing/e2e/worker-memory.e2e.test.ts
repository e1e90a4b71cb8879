import { readFileSync } from 'node:fs';
import { nodeOptions } from '@belfry/runtime';
import {
  eventually,
  isFullRun,
  type SimulatedChannels,
  type System,
  startSimulatedChannels,
  startSystem,
  type Tenant,
} from '@belfry/testing';

const maxPeakMb = 180;
/** The full run measures the figures of docs/explanation/performance.md. The other only checks the order of magnitude. */
const isFull = isFullRun();
/** More than a worker delivers at once for one integration. */
const recipients = isFull ? 1_000 : 150;

let simulated: SimulatedChannels;
let system: System;
let tenant: Tenant;

beforeAll(async () => {
  simulated = await startSimulatedChannels();
  system = await startSystem({
    // As in production: apps are cached, not read for each message.
    env: { ...simulated.env, LOOKUP_CACHE_MS: '5000' },
    workers: ['fanout,relay'],
    workerNodeOptions: nodeOptions.worker,
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await simulated.close();
}, 120_000);

/** The peak memory of a process: VmHWM of proc(5), in kB there. */
function readPeakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}

describe('a worker of one channel', () => {
  test('stays within its memory limit while it delivers a bulk, without errors', async () => {
    const event = await simulated.createEvent(system.factories, tenant, 'Hello {{name}}');
    const workers = new Map<string, { pid: number; startMs: number }>();
    async function startOne(channel: string): Promise<void> {
      const beganAt = performance.now();
      const { pid } = await system.startWorker(`deliver-${channel}`);
      workers.set(channel, { pid, startMs: Math.round(performance.now() - beganAt) });
    }
    // The full run measures the start of one worker.
    if (isFull) for (const channel of event.channels) await startOne(channel);
    else await Promise.all(event.channels.map(startOne));
    const idle = [...workers].map(([channel, { pid }]) => [channel, readPeakMb(pid)] as const);
    await sendInBulk(event.name);
    await eventually(
      async () => {
        const left = await system.database.prisma.message.count({
          where: { appId: tenant.appId, settledAt: null },
        });
        const all = await system.database.prisma.message.count({ where: { appId: tenant.appId } });
        expect({ all, left }).toEqual({ all: recipients * event.channels.length, left: 0 });
      },
      { timeoutMs: 200_000 },
    );
    // One connection each would take too long: stored users are looked up in batches.
    const { rows: faults } = await system.database.delivery.query(
      `SELECT a.reason, a.detail FROM attempt a JOIN message m ON m.id = a.message_id
       WHERE m.app_id = $1 AND a.reason = 'internal'`,
      [tenant.appId],
    );
    expect(faults).toEqual([]);
    const peaks = [...workers].map(([channel, { pid, startMs }]) => ({
      channel,
      startMs,
      idleMb: new Map(idle).get(channel),
      peakMb: readPeakMb(pid),
    }));
    // The source of figures in docs/explanation/performance.md.
    process.stdout.write(`${JSON.stringify(peaks)}\n`);
    expect(peaks.filter(({ peakMb }) => peakMb > maxPeakMb)).toEqual([]);
  }, 330_000);
});

async function sendInBulk(event: string): Promise<void> {
  const batch = Array.from({ length: recipients }, (_, number) => ({
    user: simulated.user(number),
    data: { name: `Person ${number}` },
  }));
  const answer = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}/events/bulk_send`, {
    method: 'POST',
    headers: {
      Authorization: `AuthKey ${tenant.apiKey}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ event, batch }),
  });
  expect(answer.status).toBe(200);
}
