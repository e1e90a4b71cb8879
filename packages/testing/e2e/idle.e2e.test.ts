import { setTimeout as wait } from 'node:timers/promises';
import { nodeOptions } from '@belfry/runtime';
import { readWakeUps, type System, startSystem, type TestProcess } from '@belfry/testing';

/** The goal is 10 per second; `npm run bench -- --only idle` measures it. On a busy machine locks add some. */
const maxWakeUpsPerSecond = 25;
/** Longer than a relay and a gateway stay awake after their start. */
const restMs = 12_000;
const countMs = 10_000;

let system: System;

beforeAll(async () => {
  system = await startSystem({ workers: ['all'], workerNodeOptions: nodeOptions.worker });
}, 120_000);

afterAll(() => system.stop(), 120_000);

async function countWakeUpsPerSecond(member: TestProcess): Promise<number> {
  const before = readWakeUps(member.pid);
  const beganAtMs = performance.now();
  await wait(countMs);
  const after = readWakeUps(member.pid);
  if (!before || !after) throw new Error('The system does not report context switches');
  const seconds = (performance.now() - beganAtMs) / 1_000;
  return (after.mainThread - before.mainThread) / seconds;
}

test('a gateway without calls and a worker without messages, with all roles, sleep', async () => {
  const [worker] = system.workers;
  if (!worker) throw new Error('No worker');
  await wait(restMs);
  const counts = await Promise.all([system.api, worker].map(countWakeUpsPerSecond));
  for (const count of counts) {
    // A process whose switches are not counted would pass, too.
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(maxWakeUpsPerSecond);
  }
}, 60_000);
