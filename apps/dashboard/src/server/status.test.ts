import type { PauseReason } from '@belfry/database';
import { createReadStatus } from './status';

const gatewayUrl = 'http://127.0.0.1:4400';

/** Parts that are all up, with a call counter. */
function createStatus() {
  const state: { pingCount: number; nowMs: number; pause: PauseReason | undefined } = {
    ...{ pingCount: 0, nowMs: 0 },
    pause: undefined,
  };
  const ping = async () => undefined;
  const readStatus = createReadStatus({
    pingPostgres: async () => {
      state.pingCount += 1;
    },
    pingRedis: ping,
    pingGateway: ping,
    readPause: async () => state.pause,
    gatewayUrl,
    now: () => state.nowMs,
  });
  return { parts: state, readStatus };
}

describe('the status of the parts', () => {
  test('says that a restored copy is paused, and what to do', async () => {
    const { parts: state, readStatus } = createStatus();
    state.pause = 'copied';
    expect((await readStatus()).sentence).toMatch(
      /^Sending is paused\. .*belfry installation confirm$/,
    );
  });

  test('is read at most once a second for any number of pages', async () => {
    const { parts: state, readStatus } = createStatus();
    await readStatus();
    state.nowMs = 1_000;
    await readStatus();
    expect(state.pingCount).toBe(1);
    state.nowMs = 1_001;
    await readStatus();
    expect(state.pingCount).toBe(2);
  });
});
