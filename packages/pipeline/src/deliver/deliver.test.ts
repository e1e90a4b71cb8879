import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createSemaphore } from '@belfry/runtime';
import { eventually } from '@belfry/testing';
import type { ClaimedMessage } from './claim.sql';
import { createDeliver, type DeliverDeps, type TimedClaim } from './deliver';
import type { AttemptResult } from './record.sql';
import type { RequeuedMessage } from './requeue.sql';
import { createBreaker, createSlots } from './slots';

/** Deliveries that find every message claimed by another worker, except for what a test changes. */
function setUp(changes: Partial<DeliverDeps> = {}) {
  const claimed: string[] = [];
  const returned: RequeuedMessage[] = [];
  const breaker = createBreaker({ now: () => 0 });
  const deliveries = createDeliver({
    slots: createSlots(10),
    unstored: createSemaphore(10),
    breaker,
    health: { record: () => undefined },
    limits: { take: async () => undefined, applyRetryAfter: async () => undefined },
    connections: { getMax: async () => undefined, reserve: async () => undefined },
    deadlineMs: 1_000,
    claims: {
      async add(id) {
        claimed.push(id);
        return { claim: { kind: 'stale' }, claimedAtMs: 0 };
      },
    },
    requeue: {
      async add(message) {
        returned.push(message);
        return undefined;
      },
    },
    attempt: () => Promise.reject(new Error('nothing was claimed')),
    recorder: { record: async () => true },
    onIntegration: async () => undefined,
    dropTexts: async () => undefined,
    wakeReader: () => undefined,
    countMessage: () => {},
    observeStage: () => {},
    backoff: { baseMs: 1, capMs: 1, random: () => 0 },
    channelResends: 1,
    log: createLogger({ level: 'error', process: 'test' }),
    ...changes,
  });
  return { ...deliveries, breaker, claimed, returned };
}

/** Claims every message. */
const claimAll: Pick<DeliverDeps, 'claims'> = {
  claims: {
    add: async (id) => ({
      claim: { kind: 'claimed', message: { ...message, id } },
      claimedAtMs: 0,
    }),
  },
};

/** A claim whose result the test controls. */
function defer() {
  const answers: ((claim: TimedClaim) => void)[] = [];
  const promise = new Promise<TimedClaim>((resolve) => answers.push(resolve));
  return { promise, resolve: (claim: TimedClaim) => answers[0]?.(claim) };
}

const message: ClaimedMessage = {
  id: 'm',
  requestId: 'r',
  item: 0,
  appId: 'a',
  eventId: 'e',
  versionId: 'v',
  channel: 'slack',
  target: 'C1',
  attempt: 50,
  unknownCount: 0,
  attemptsInRow: 1,
  integrationId: undefined,
  hasWaitedLong: false,
  recipient: undefined,
  data: undefined,
  override: undefined,
  locale: undefined,
};

describe('a delivery job', () => {
  test('fails only when all of its messages are done, so that shutdown waits for them', async () => {
    const finishedIds: string[] = [];
    const { deliver } = setUp({
      claims: {
        async add(id) {
          if (id === 'broken') throw new Error('no connection');
          await sleep(20);
          finishedIds.push(id);
          return { claim: { kind: 'stale' }, claimedAtMs: 0 };
        },
      },
    });
    const ids = ['broken', 'slow'];
    await expect(deliver({ ids, fairnessKey: 'a' })).rejects.toThrow('no connection');
    expect(finishedIds).toEqual(['slow']);
  });

  test('requeues its messages with a delay while the circuit is open, and claims none of them', async () => {
    const { deliver, stop, breaker, claimed, returned } = setUp();
    for (let time = 0; time < 5; time += 1) breaker.recordOutcome('a', { isTimeout: true });
    const delivered = deliver({ ids: ['m1', 'm2'], fairnessKey: 'a' });
    await deliver({ ids: ['m3'], fairnessKey: 'b' });
    stop();
    await delivered;
    expect(claimed).toEqual(['m3']);
    expect(returned).toEqual(
      ['m1', 'm2'].map((id) => ({ id, waitMs: 30_000, why: 'circuit' as const })),
    );
  });

  test('fails a message whose version does not exist after a few attempts', async () => {
    const recorded: AttemptResult[] = [];
    const { deliver } = setUp({
      claims: { add: async () => ({ claim: { kind: 'claimed', message }, claimedAtMs: 0 }) },
      attempt: async () => ({ outcome: { outcome: 'retry', reason: 'internal' } }),
      recorder: {
        async record(result) {
          recorded.push(result);
          return true;
        },
      },
    });
    await deliver({ ids: ['m'], fairnessKey: 'a' });
    expect(recorded).toMatchObject([{ next: { state: 'failed' } }]);
  });

  test.each([
    ['an opt-out as skipped', { skip: 'opted_out' }, 'skipped'],
    ['any other refusal as rejected', {}, 'rejected'],
  ] as const)('counts %s', async (_what, skip, outcome) => {
    const counted: string[] = [];
    const recorded: AttemptResult[] = [];
    const { deliver } = setUp({
      claims: { add: async () => ({ claim: { kind: 'claimed', message }, claimedAtMs: 0 }) },
      attempt: async () => ({
        outcome: { outcome: 'rejected', scope: 'recipient', reason: '21610', ...skip },
        request: { operation: 'POST /', body: {} },
        response: { code: 21610 },
      }),
      recorder: {
        async record(result) {
          recorded.push(result);
          return true;
        },
      },
      countMessage: (message) => counted.push(message.outcome),
    });
    await deliver({ ids: ['m'], fairnessKey: 'a' });
    expect(counted).toEqual([outcome]);
    // The attempt keeps the provider's code, the request and the response.
    expect(recorded).toMatchObject([
      { outcome: 'rejected', reason: '21610', response: '{"code":21610}' },
    ]);
  });

  test.each([
    ['a message with a call', 5, ['slot', 'claim', 'compose', 'call', 'record']],
    ['a message without a call', undefined, ['slot', 'claim', 'compose', 'record']],
  ])('observes each stage of %s once', async (_, callMs, stages) => {
    const observed: string[] = [];
    const { deliver } = setUp({
      ...claimAll,
      attempt: async () => ({
        outcome: { outcome: 'retry', reason: 'internal' },
        ...(callMs !== undefined && { callMs }),
      }),
      observeStage: (stage) => observed.push(stage),
    });
    await deliver({ ids: ['m'], fairnessKey: 'a' });
    expect(observed).toEqual(stages);
  });

  test.each([
    ['accepted', { outcome: 'accepted', providerMessageId: '1' }, undefined],
    ['refused', { outcome: 'rejected', scope: 'integration', reason: '535' }, '535'],
  ] as const)(
    'reports that a call was %s for the settings that it used',
    async (_what, outcome, refusal) => {
      const reports: object[] = [];
      const used = { ...message, integrationId: 'i' };
      const revision = { integrationId: 'i', updatedAt: new Date(1) };
      const { deliver } = setUp({
        claims: {
          add: async () => ({ claim: { kind: 'claimed', message: used }, claimedAtMs: 0 }),
        },
        attempt: async () => ({
          ...{ outcome, provider: 'smtp', callMs: 1, integrationUpdatedAt: revision.updatedAt },
        }),
        health: { record: (attempt) => reports.push(attempt) },
        onIntegration: async (report) => void reports.push(report),
      });
      await deliver({ ids: ['m'], fairnessKey: 'a' });
      const health = { ...revision, outcome, circuitOpenMs: undefined };
      expect(reports).toEqual([health, { ...revision, refusal }]);
    },
  );

  test('sends the next message while a result is stored, up to the limit of unstored results', async () => {
    const sent: string[] = [];
    const storing: (() => void)[] = [];
    const { deliver } = setUp({
      slots: createSlots(2),
      unstored: createSemaphore(1),
      ...claimAll,
      async attempt({ message: { id } }) {
        sent.push(id);
        return { outcome: { outcome: 'retry', reason: 'internal' } };
      },
      recorder: {
        record: () => new Promise((resolve) => storing.push(() => resolve(true))),
      },
    });
    // One fairness key gets half of two slots.
    const delivered = deliver({ ids: ['m1', 'm2', 'm3'], fairnessKey: 'a' });
    await eventually(() => expect(sent).toEqual(['m1', 'm2']));
    await sleep(20);
    expect({ sent, storing: storing.length }).toEqual({ sent: ['m1', 'm2'], storing: 1 });
    storing[0]?.();
    await eventually(() =>
      expect({ sent: sent.length, storing: storing.length }).toEqual({ sent: 3, storing: 2 }),
    );
    storing[1]?.();
    await eventually(() => expect(storing).toHaveLength(3));
    storing[2]?.();
    await delivered;
  });

  test('requeues messages that wait for a slot at once when the worker stops', async () => {
    const { promise, resolve } = defer();
    const { deliver, stop, returned } = setUp({
      slots: createSlots(1),
      claims: { add: () => promise },
    });
    const delivered = deliver({ ids: ['m1', 'm2'], fairnessKey: 'a' });
    await sleep(0);
    stop();
    resolve({ claim: { kind: 'stale' }, claimedAtMs: 0 });
    await delivered;
    expect(returned).toEqual([{ id: 'm2', waitMs: 0, why: 'stopping' }]);
  });

  test('requeues a message without a connection, and does not claim it', async () => {
    const { deliver, claimed, returned } = setUp({
      connections: {
        getMax: async () => 1,
        reserve: async ({ messageId }) =>
          messageId === 'm2' ? { release: () => undefined } : undefined,
      },
    });
    await deliver({ ids: ['m1', 'm2'], fairnessKey: 'a' });
    expect(claimed).toEqual(['m2']);
    expect(returned).toEqual([{ id: 'm1', waitMs: 1_000, why: 'connections' }]);
  });

  test('requeues messages that wait for a connection at once when the worker stops', async () => {
    const { deliver, stop, returned } = setUp({
      connections: {
        getMax: async () => 1,
        reserve: ({ signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
      },
    });
    const delivered = deliver({ ids: ['m1'], fairnessKey: 'a' });
    await sleep(0);
    stop();
    await delivered;
    expect(returned).toEqual([{ id: 'm1', waitMs: 0, why: 'stopping' }]);
  });

  test('sends at most as many messages of a fairness key at once as it has connections, each by its own', async () => {
    const counts = { reserved: 0, most: 0, sent: 0 };
    const { deliver } = setUp({
      ...claimAll,
      connections: {
        getMax: async () => 2,
        async reserve() {
          counts.reserved += 1;
          counts.most = Math.max(counts.most, counts.reserved);
          let isReleased = false;
          return {
            release() {
              counts.reserved -= isReleased ? 0 : 1;
              isReleased = true;
            },
          };
        },
      },
      async attempt() {
        await sleep(5);
        counts.sent += 1;
        return { outcome: { outcome: 'retry', reason: 'internal' } };
      },
    });
    await deliver({ ids: ['m1', 'm2', 'm3', 'm4', 'm5'], fairnessKey: 'a' });
    expect(counts).toEqual({ reserved: 0, most: 2, sent: 5 });
  });

  test('undoes the claim of a message without a provider call, and leaves the circuit closed', async () => {
    const recorded: AttemptResult[] = [];
    const notNow = { waits: 'connections', waitMs: 1_000 } as const;
    const { deliver, breaker } = setUp({
      ...claimAll,
      attempt: async () => ({ outcome: { outcome: 'retry', reason: 'timeout' }, notNow }),
      recorder: {
        async record(result) {
          recorded.push(result);
          return true;
        },
      },
    });
    await deliver({ ids: ['m1', 'm2', 'm3', 'm4', 'm5'], fairnessKey: 'a' });
    expect(recorded[0]?.next).toEqual({
      state: 'queued',
      dueAfterMs: 1_000,
      waits: 'connections',
      isUnclaimed: true,
    });
    expect(breaker.waitMs('a')).toBeUndefined();
  });

  test.each([
    ['opens the circuit if the provider misses the deadline', 1_000, 30_000],
    ['ignores a timeout if the worker was delayed', 3_000, undefined],
    ['ignores a timeout if the provider was not called', undefined, undefined],
  ])('%s', async (_what, callMs, waitMs) => {
    const outcome = { outcome: 'unknown', reason: 'timeout' } as const;
    const { deliver, breaker } = setUp({
      ...claimAll,
      attempt: async () => ({ outcome, ...(callMs === undefined ? {} : { callMs }) }),
    });
    await deliver({ ids: ['m1', 'm2', 'm3', 'm4', 'm5'], fairnessKey: 'a' });
    expect(breaker.waitMs('a')).toBe(waitMs);
  });

  test('requeues a rate-limited message with its delay, and does not claim it', async () => {
    const { deliver, claimed, returned } = setUp({
      limits: {
        take: async (_fairnessKey, id) => ({ isGranted: id === 'm2', waitMs: 40 }),
        applyRetryAfter: async () => undefined,
      },
    });
    await deliver({ ids: ['m1', 'm2'], fairnessKey: 'a' });
    expect(claimed).toEqual(['m2']);
    expect(returned).toEqual([{ id: 'm1', waitMs: 40, why: 'limit' }]);
  });
});
