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

test('results are written once, in batches, even if a write fails first', async () => {
  const writes: IntegrationResults[] = [];
  let isUnavailable = true;
  let nowMs = 1_000;
  const tally = createHealthTally({
    log: { ...log, warn: () => undefined },
    now: () => nowMs,
    async write(results) {
      if (isUnavailable) throw new Error('away');
      writes.push(...results);
    },
  });
  const record = (outcome: Outcome, circuitOpenMs?: number) =>
    tally.record({ integrationId: 'a', outcome, circuitOpenMs });
  record(accepted);
  record(refused);
  await tally.flush();
  nowMs = 3_000;
  record(refused, 30_000);
  isUnavailable = false;
  nowMs = 4_000;
  await tally.flush();
  await tally.flush();
  const both = { integrationId: 'a', succeeded: 1, failed: 2, failuresInRow: 2, error: 'No.' };
  expect(writes).toEqual([
    { ...both, successMsAgo: 3_000, failureMsAgo: 1_000, circuitOpenMs: 30_000 },
  ]);
});
