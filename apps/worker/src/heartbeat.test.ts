import { createLogger } from '@belfry/runtime';
import { createHeartbeat, type HeartbeatDeps } from './heartbeat';

const log = createLogger({ level: 'error', process: 'test' });
type Beat = Parameters<HeartbeatDeps['write']>[0];

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function setUp() {
  const told: (Beat | 'removed')[] = [];
  const state = { isAway: false };
  const heartbeat = createHeartbeat({
    async write(beat) {
      if (state.isAway) throw new Error('away');
      told.push(beat);
    },
    async remove() {
      told.push('removed');
    },
    log,
  });
  return { told, state, heartbeat };
}

describe('createHeartbeat', () => {
  test('beats at once and then every 5 s, and says which beat is the first', async () => {
    const { told, heartbeat } = setUp();
    heartbeat.start();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual([{ isFirst: true }, { isFirst: false }, { isFirst: false }]);
    await heartbeat.close();
  });

  test('goes on after an outage with what is its first beat', async () => {
    const { told, state, heartbeat } = setUp();
    state.isAway = true;
    heartbeat.start();
    await jest.advanceTimersByTimeAsync(6_000);
    state.isAway = false;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(told).toEqual([{ isFirst: true }]);
    await heartbeat.close();
  });

  test('takes its row away when it ends, and beats no more', async () => {
    const { told, heartbeat } = setUp();
    heartbeat.start();
    await jest.advanceTimersByTimeAsync(0);
    await heartbeat.close();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(told).toEqual([{ isFirst: true }, 'removed']);
  });
});
