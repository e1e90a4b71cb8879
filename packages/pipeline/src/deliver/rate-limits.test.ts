import { setTimeout as sleep } from 'node:timers/promises';
import { channels } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { testSecrets } from '@belfry/testing';
import type { ClaimedMessage } from './claim.sql';
import type { Buckets, Pause, TokenRequest } from './rate-limits';
import { createLimits } from './rate-limits';
import type { WaitingFacts } from './waiting-message.sql';

type SetUpOptions = {
  channel?: keyof typeof channels;
  provider?: string;
  settings?: Record<string, unknown>;
  facts?: Partial<WaitingFacts>;
  buckets?: Partial<Buckets>;
};

function setUp({
  channel = 'sms',
  provider = 'twilio',
  settings = {},
  ...options
}: SetUpOptions = {}) {
  const requests: TokenRequest[] = [];
  const pauses: Pause[] = [];
  const integration: IntegrationRow = {
    id: 'i1',
    appId: 'a1',
    name: 'first',
    channel,
    provider,
    settings,
    credentials: '',
    state: 'active',
    updatedAt: new Date(0),
  };
  const limits = createLimits({
    channel: channels[channel],
    buckets: {
      async requestTokens(request) {
        requests.push(request);
        return { isGranted: true, waitMs: 0 };
      },
      async pause(pause) {
        pauses.push(pause);
      },
      ...options.buckets,
    },
    findIntegration: async (id) => (id === 'i1' ? integration : undefined),
    readWaiting: async () => ({
      target: '+4520000001',
      isBulk: false,
      hasWaited: false,
      ...options.facts,
    }),
    secrets: testSecrets(),
    random: () => 0,
    log: createLogger({ level: 'error', process: 'test' }),
  });
  return { limits, requests, pauses };
}

const claimed = { integrationId: 'i1', appId: 'a1', target: '123' } as ClaimedMessage;

const unavailable = { requestTokens: () => Promise.reject(new Error('Redis is unavailable')) };

describe('the limits of an integration', () => {
  test('allow in no second more than 5 % over the configured limit', async () => {
    const { limits, requests } = setUp({ settings: { max_per_second: 50 } });
    await limits.take('i1', 'm1');
    const { intervalMs = 0, burst = 0 } = requests[0]?.buckets[0] ?? {};
    expect(burst + 1_000 / intervalMs).toBeLessThanOrEqual(50 * 1.05);
  });

  test.each<[string, SetUpOptions, { intervalMs: number; burst: number }[]]>([
    [
      'for a bot and a chat',
      { channel: 'telegram', provider: 'telegram', facts: { target: '123' } },
      [
        { intervalMs: 1_000 / 27, burst: 1 },
        { intervalMs: 1_000, burst: 1 },
      ],
    ],
    [
      'for a bot and a group',
      { channel: 'telegram', provider: 'telegram', facts: { target: '-100123' } },
      [
        { intervalMs: 1_000 / 27, burst: 1 },
        { intervalMs: 4_000, burst: 5 },
      ],
    ],
    [
      'for a number and a pair, by Meta',
      { channel: 'whatsapp', provider: 'meta', settings: { max_per_second: 20 } },
      [
        { intervalMs: 1_000 / 18, burst: 1 },
        { intervalMs: 6_000, burst: 1 },
      ],
    ],
    [
      'for a number and a pair, by Twilio',
      { channel: 'whatsapp', provider: 'twilio' },
      [
        { intervalMs: 1_000 / 72, burst: 4 },
        { intervalMs: 6_000, burst: 1 },
      ],
    ],
    ['for an integration without a limit', {}, [{ intervalMs: 0, burst: 0 }]],
  ])('use the right buckets %s', async (_whose, input, expected) => {
    const { limits, requests } = setUp(input);
    await limits.take('i1', 'm1');
    expect(requests[0]?.buckets).toMatchObject(expected);
    expect(requests[0]?.buckets).toHaveLength(expected.length);
  });

  test.each<[Partial<WaitingFacts>, string]>([
    [{}, 'single'],
    [{ isBulk: true }, 'bulk'],
    [{ isBulk: true, hasWaited: true }, 'again'],
  ])('use the right queue: %j', async (facts, queue) => {
    const { limits, requests } = setUp({ settings: { max_per_second: 5 }, facts });
    await limits.take('i1', 'm1');
    expect(requests[0]?.queue).toBe(queue);
  });

  test('do not apply to a fairness key of an app', async () => {
    const { limits, requests } = setUp();
    expect(await limits.take('a1', 'm1')).toBeUndefined();
    expect(requests).toEqual([]);
  });

  test('grant nothing without Redis, if there are any', async () => {
    const limited = setUp({ settings: { max_per_second: 5 }, buckets: unavailable });
    const unlimited = setUp({ buckets: unavailable });
    expect(await limited.limits.take('i1', 'm1')).toEqual({ isGranted: false, waitMs: 1_000 });
    expect(await unlimited.limits.take('i1', 'm1')).toBeUndefined();
  });

  test('delay a call until its token is valid, and request again if none was granted', async () => {
    const tokenRequests: TokenRequest[] = [];
    const answers = [
      { isGranted: false, waitMs: 5 },
      { isGranted: true, waitMs: 10 },
    ];
    const { limits } = setUp({
      settings: { max_per_second: 50 },
      buckets: {
        async requestTokens(request) {
          tokenRequests.push(request);
          return answers.shift() ?? { isGranted: false, waitMs: 0 };
        },
      },
    });
    const startedAtMs = performance.now();
    expect(await limits.pace(claimed)).toBe(true);
    expect(performance.now() - startedAtMs).toBeGreaterThan(12);
    expect(tokenRequests).toHaveLength(2);
    expect(tokenRequests[0]?.buckets).toMatchObject([{ intervalMs: 1_000 / 47.5, burst: 1 }]);
  });

  test.each([
    ['takes a new time', 1, 2],
    ['starts anyway after two missed times', Number.POSITIVE_INFINITY, 3],
  ])('a call that misses its time %s', async (_what, missedTimes, expected) => {
    let callCount = 0;
    const { limits } = setUp({
      settings: { max_per_second: 50 },
      buckets: {
        async requestTokens() {
          callCount += 1;
          if (callCount <= missedTimes) await sleep(70);
          return { isGranted: true, waitMs: 0 };
        },
      },
    });
    expect(await limits.pace(claimed)).toBe(true);
    expect(callCount).toBeGreaterThanOrEqual(expected);
    expect(callCount).toBeLessThanOrEqual(3);
  });

  test('refuse a call that would wait too long', async () => {
    const { limits } = setUp({
      settings: { max_per_second: 50 },
      buckets: { requestTokens: async () => ({ isGranted: false, waitMs: 1_000 }) },
    });
    expect(await limits.pace(claimed)).toBe(false);
  });

  test.each<[string, SetUpOptions, Partial<ClaimedMessage>]>([
    ['by an integration without a limit', {}, {}],
    ['in the sandbox', { settings: { max_per_second: 50 } }, { integrationId: undefined }],
    [
      'with its token, while Redis is unavailable',
      { settings: { max_per_second: 50 }, buckets: unavailable },
      {},
    ],
  ])('let a call start at once: one %s', async (_which, input, changes) => {
    const { limits, requests } = setUp(input);
    expect(await limits.pace({ ...claimed, ...changes })).toBe(true);
    expect(requests).toEqual([]);
  });

  test('are read once for concurrent messages that only a pause could delay', async () => {
    const paused = { isGranted: false, waitMs: 3_000 };
    const { limits } = setUp({ buckets: { requestTokens: async () => paused } });
    const unlimited = setUp();
    const ids = ['m1', 'm2', 'm3'];
    await Promise.all(ids.map((id) => unlimited.limits.take('i1', id)));
    expect(unlimited.requests).toHaveLength(1);
    await unlimited.limits.take('i1', 'm4');
    expect(unlimited.requests).toHaveLength(2);
    expect(await Promise.all(ids.map((id) => limits.take('i1', id)))).toEqual([
      paused,
      paused,
      paused,
    ]);
  });

  test('put no personal data into Redis', async () => {
    const { limits, requests } = setUp({ channel: 'whatsapp' });
    await limits.take('i1', 'm1');
    expect(JSON.stringify(requests)).not.toContain('4520000001');
  });
});

describe('a provider that asks for fewer calls', () => {
  const tooManyRequests = { outcome: 'retry', reason: 'http_429' } as const;

  test('pauses its integration for the time it names, at most 15 minutes', async () => {
    const { limits, pauses } = setUp();
    await limits.applyRetryAfter(claimed, {
      ...tooManyRequests,
      slows: 'integration',
      afterMs: 7_000,
    });
    await limits.applyRetryAfter(claimed, {
      ...tooManyRequests,
      slows: 'integration',
      afterMs: 18_053_000,
    });
    await limits.applyRetryAfter(claimed, { ...tooManyRequests, slows: 'integration' });
    expect(pauses.map(({ waitMs }) => waitMs)).toEqual([7_000, 900_000, 1_000]);
    expect(new Set(pauses.map(({ key }) => key)).size).toBe(1);
  });

  test('to one target pauses that target, and names the integration as its parent', async () => {
    const { limits, pauses } = setUp({ channel: 'telegram', provider: 'telegram' });
    await limits.applyRetryAfter(claimed, { ...tooManyRequests, slows: 'target', afterMs: 7_000 });
    expect(pauses[0]?.parentKey).toEqual(expect.any(String));
    expect(pauses[0]?.key).not.toBe(pauses[0]?.parentKey);
  });

  test('pauses nothing for an ordinary failure or a message without an integration', async () => {
    const { limits, pauses } = setUp();
    await limits.applyRetryAfter(claimed, tooManyRequests);
    await limits.applyRetryAfter(
      { ...claimed, integrationId: undefined },
      { ...tooManyRequests, slows: 'integration' },
    );
    expect(pauses).toEqual([]);
  });
});
