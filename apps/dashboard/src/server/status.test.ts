import { createReadStatus } from './status';

const gatewayUrl = 'http://127.0.0.1:4400';

/** Parts that all answer, and how often one of them was asked. */
function createParts() {
  const parts = { asked: 0, nowMs: 0 };
  const ping = async () => undefined;
  const readStatus = createReadStatus({
    pingPostgres: async () => {
      parts.asked += 1;
    },
    pingRedis: ping,
    pingGateway: ping,
    gatewayUrl,
    now: () => parts.nowMs,
  });
  return { parts, readStatus };
}

describe('the status of the parts', () => {
  test('is read once a second, however many pages ask', async () => {
    const { parts, readStatus } = createParts();
    await readStatus();
    parts.nowMs = 1_000;
    await readStatus();
    expect(parts.asked).toBe(1);
    parts.nowMs = 1_001;
    await readStatus();
    expect(parts.asked).toBe(2);
  });
});
