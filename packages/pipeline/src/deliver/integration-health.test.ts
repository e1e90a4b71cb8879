import type { IntegrationResults } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import type { Outcome } from '@belfry/shared';
import { createHealthTally, judgeAttempt } from './integration-health';

const log = createLogger({ level: 'error', process: 'test' });
const accepted: Outcome = { outcome: 'accepted', providerMessageId: '1' };
const refused: Outcome = { outcome: 'retry', reason: 'connection_refused', detail: 'No.' };
const why = { reason: 'x' } as const;

test.each<[string, Outcome, 'success' | 'failure' | undefined]>([
  ['accepted', accepted, 'success'],
  ['without an answer', { outcome: 'unknown', ...why }, 'failure'],
  ['with a refused connection', refused, 'failure'],
  ['with refused credentials', { outcome: 'rejected', scope: 'integration', ...why }, 'failure'],
  ['that the provider throttles', { outcome: 'retry', slows: 'integration', ...why }, 'failure'],
  ['throttled for one chat', { outcome: 'retry', slows: 'target', ...why }, undefined],
  ['to a full mailbox', { outcome: 'retry', sparesIntegration: true, ...why }, undefined],
  ['to a wrong recipient', { outcome: 'rejected', scope: 'recipient', ...why }, undefined],
  ['with wrong content', { outcome: 'rejected', scope: 'content', ...why }, undefined],
  ['that the worker broke', { outcome: 'unknown', reason: 'internal' }, undefined],
])('an attempt %s counts for its integration as %s', (_case, outcome, effect) => {
  expect(judgeAttempt({ outcome, provider: 'smtp' })).toBe(effect);
  expect(judgeAttempt({ outcome, provider: 'sandbox' })).toBeUndefined();
  expect(judgeAttempt({ outcome, provider: 'smtp', notNow: { waitMs: 1 } })).toBeUndefined();
});

const saved = new Date('2026-01-01T00:00:00Z');

/** A tally whose writes fail while `isUnavailable`. */
function setUp() {
  const writes: IntegrationResults[] = [];
  const store = { nowMs: 1_000, isUnavailable: false };
  const tally = createHealthTally({
    log: { ...log, warn: () => undefined },
    now: () => store.nowMs,
    async write(results) {
      if (store.isUnavailable) throw new Error('away');
      writes.push(...results);
    },
  });
  const record = (outcome: Outcome, circuitOpenMs?: number, updatedAt = saved) =>
    tally.record({ integrationId: 'a', updatedAt, outcome, circuitOpenMs });
  return { store, writes, record, flush: tally.flush };
}

test('results are written once, in batches, even if a write fails first', async () => {
  const { store, writes, record, flush } = setUp();
  store.isUnavailable = true;
  record(accepted);
  record(refused);
  await flush();
  store.nowMs = 3_000;
  record(refused, 30_000);
  Object.assign(store, { isUnavailable: false, nowMs: 4_000 });
  await flush();
  await flush();
  const both = { succeeded: 1, failed: 2, failuresInRow: 2, error: 'No.', updatedAt: saved };
  expect(writes).toEqual([
    {
      integrationId: 'a',
      ...both,
      successMsAgo: 3_000,
      failureMsAgo: 1_000,
      circuitOpenMs: 29_000,
    },
  ]);
});

test('an open circuit outlasts a failed write and later failures, but no success', async () => {
  const { store, writes, record, flush } = setUp();
  store.isUnavailable = true;
  record(refused, 30_000);
  await flush();
  store.nowMs = 2_000;
  record(refused);
  await flush();
  store.isUnavailable = false;
  await flush();
  record(refused, 30_000);
  store.isUnavailable = true;
  await flush();
  record(accepted);
  await flush();
  store.isUnavailable = false;
  await flush();
  expect(writes.map(({ circuitOpenMs }) => circuitOpenMs)).toEqual([29_000, undefined]);
});

test('results of settings that were saved over are not mixed with those of newer ones', async () => {
  const { store, writes, record, flush } = setUp();
  const savedAgain = new Date(saved.getTime() + 1);
  /** The write fails while the attempts are recorded. */
  async function failWrite(recordMore: () => void): Promise<void> {
    store.isUnavailable = true;
    const flushed = flush();
    recordMore();
    await flushed;
    store.isUnavailable = false;
  }
  record(refused);
  await failWrite(() => record(accepted, undefined, savedAgain));
  record(refused);
  await flush();
  record(accepted, undefined, savedAgain);
  await failWrite(() => record(refused));
  await flush();
  const newer = { updatedAt: savedAgain, succeeded: 1, failed: 0 };
  expect(writes).toEqual([expect.objectContaining(newer), expect.objectContaining(newer)]);
});
