import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from './log';
import { watchLoop } from './loop-watch';

async function countStalls(work: () => Promise<void> | void): Promise<number> {
  let stalls = 0;
  const stream = new PassThrough();
  const log = createLogger({ level: 'warn', process: 'test', stream });
  const stop = watchLoop({ log, metrics: { countLoopStall: () => (stalls += 1) } });
  await sleep(60);
  await work();
  await sleep(100);
  stop();
  expect(String(stream.read() ?? '').includes('loop.stalled')).toBe(stalls > 0);
  return stalls;
}

function workFor(ms: number): void {
  const { user } = process.cpuUsage();
  while ((process.cpuUsage().user - user) / 1_000 < ms);
}

describe('watchLoop', () => {
  test('logs and counts work that blocks the event loop', async () => {
    expect(await countStalls(() => workFor(250))).toBe(1);
  });

  test('does not report waiting', async () => {
    expect(await countStalls(() => sleep(250))).toBe(0);
  });
});
