import { createLogger } from '@belfry/runtime';
import { createHeartbeat, type HeartbeatDeps } from './heartbeat';

const log = createLogger({ level: 'error', process: 'test' });
type HeartbeatRow = Parameters<HeartbeatDeps['write']>[0];

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function setUp() {
  const writes: (HeartbeatRow | 'removed')[] = [];
  const state = { isUnavailable: false };
  const heartbeat = createHeartbeat({
    async write(row) {
      if (state.isUnavailable) throw new Error('unavailable');
      writes.push(row);
    },
    async remove() {
      writes.push('removed');
    },
    log,
  });
  return { writes, state, heartbeat };
}

describe('createHeartbeat', () => {
  test('writes a heartbeat at once and then every 5 s, and marks the first', async () => {
    const { writes, heartbeat } = setUp();
    heartbeat.start();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(writes).toEqual([{ isFirst: true }, { isFirst: false }, { isFirst: false }]);
    await heartbeat.close();
  });

  test('continues after an outage, and the first heartbeat written is still marked as the first', async () => {
    const { writes, state, heartbeat } = setUp();
    state.isUnavailable = true;
    heartbeat.start();
    await jest.advanceTimersByTimeAsync(6_000);
    state.isUnavailable = false;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(writes).toEqual([{ isFirst: true }]);
    await heartbeat.close();
  });

  test('removes its row when it closes and writes no more heartbeats', async () => {
    const { writes, heartbeat } = setUp();
    heartbeat.start();
    await jest.advanceTimersByTimeAsync(0);
    await heartbeat.close();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(writes).toEqual([{ isFirst: true }, 'removed']);
  });
});
