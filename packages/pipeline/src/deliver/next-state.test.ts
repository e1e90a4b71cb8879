import { type ChannelVersion, defaultPolicy, type Outcome, type Policy } from '@belfry/shared';
import { type Attempted, backoffMs, computeNextState } from './next-state';

const backoff = { baseMs: 2_000, capMs: 900_000, random: () => 0.5 };

const accepted: Outcome = { outcome: 'accepted', providerMessageId: 'p' };
const connectionRefused: Outcome = { outcome: 'retry', reason: 'connection_refused' };
const unknown: Outcome = { outcome: 'unknown', reason: 'timeout' };
const rejected = (scope: 'recipient' | 'content' | 'integration'): Outcome => ({
  outcome: 'rejected',
  scope,
  reason: 'r',
});

function createVersion(policy: Partial<Policy> = {}, integrationIds: string[] = ['i1', 'i2']) {
  return {
    policy: { ...defaultPolicy, ...policy },
    integrationIds,
  } satisfies Partial<ChannelVersion>;
}

function computeNext(attempted: Partial<Attempted> & { outcome: Outcome }) {
  return computeNextState(
    {
      version: createVersion(),
      attemptsMade: 1,
      attemptsInRow: 1,
      unknownCount: 0,
      integrationId: 'i1',
      hasWaitedLong: false,
      channelResends: 1,
      ...attempted,
    },
    backoff,
  );
}

describe('computeNextState', () => {
  test.each<[string, Partial<Attempted> & { outcome: Outcome }, object]>([
    ['accepted is sent', { outcome: accepted }, { state: 'sent' }],
    [
      'a refused recipient fails, and is not retried',
      { outcome: rejected('recipient') },
      { state: 'failed', reason: 'rejected_recipient' },
    ],
    [
      'refused content fails',
      { outcome: rejected('content') },
      { state: 'failed', reason: 'rejected_content' },
    ],
    [
      'a refused integration moves on to the next one at once',
      { outcome: rejected('integration') },
      { state: 'queued', dueAfterMs: 0, waits: 'retry', integrationId: 'i2' },
    ],
    [
      'after the last refused integration follows the first one, after a wait',
      { outcome: rejected('integration'), integrationId: 'i2', attemptsMade: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', integrationId: 'i1' },
    ],
    [
      'the only integration, if refused, waits for an operator',
      { outcome: rejected('integration'), version: createVersion({}, ['i1']) },
      { state: 'queued', dueAfterMs: 900_000, waits: 'needs_attention' },
    ],
    [
      'a refused recipient never causes a failover',
      { outcome: rejected('recipient'), attemptsInRow: 2, attemptsMade: 2 },
      { state: 'failed', reason: 'rejected_recipient' },
    ],
    [
      'refused content never causes a failover',
      { outcome: rejected('content'), attemptsInRow: 2, attemptsMade: 2 },
      { state: 'failed', reason: 'rejected_content' },
    ],
    [
      'after a first failed attempt the same integration tries again',
      { outcome: connectionRefused },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry' },
    ],
    [
      'a second failed attempt in a row moves on to the next integration',
      { outcome: connectionRefused, attemptsMade: 2, attemptsInRow: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', integrationId: 'i2' },
    ],
    [
      'a first failed attempt by the next integration stays there',
      { outcome: connectionRefused, attemptsMade: 3, attemptsInRow: 1, integrationId: 'i2' },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'after two failed attempts by the last integration follows the first one',
      { outcome: connectionRefused, attemptsMade: 4, attemptsInRow: 2, integrationId: 'i2' },
      { state: 'queued', dueAfterMs: 8_000, waits: 'retry', integrationId: 'i1' },
    ],
    [
      'the only integration of a chain keeps trying',
      {
        outcome: connectionRefused,
        attemptsMade: 3,
        attemptsInRow: 3,
        version: createVersion({}, ['i1']),
      },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'a wait that one provider asked for does not delay the next, and does not count as its long wait',
      {
        outcome: { ...connectionRefused, afterMs: 18_053_000 } as Outcome,
        attemptsMade: 2,
        attemptsInRow: 2,
      },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', integrationId: 'i2' },
    ],
    [
      'the attempts of all integrations together are limited',
      { outcome: connectionRefused, attemptsMade: 8, attemptsInRow: 2 },
      { state: 'failed', reason: 'attempts_exhausted' },
    ],
    [
      'without an integration there is no failover',
      { outcome: connectionRefused, attemptsMade: 3, attemptsInRow: 3, integrationId: undefined },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'an unknown outcome causes no failover by default',
      { outcome: unknown, attemptsInRow: 2, attemptsMade: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'an unknown outcome causes a failover if the version says so',
      { outcome: unknown, version: createVersion({ onUnknown: 'resend_next' }) },
      {
        state: 'queued',
        dueAfterMs: 1_000,
        waits: 'retry',
        isPossibleDuplicate: true,
        integrationId: 'i2',
      },
    ],
    [
      'an unknown outcome with failover stays if there is no other integration',
      { outcome: unknown, version: createVersion({ onUnknown: 'resend_next' }, ['i1']) },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'an unknown outcome with failover is not resent more often',
      {
        outcome: unknown,
        unknownCount: 1,
        attemptsMade: 2,
        version: createVersion({ onUnknown: 'resend_next' }),
      },
      { state: 'unknown' },
    ],
    [
      'a refused token from the request fails only that message',
      { outcome: { ...rejected('integration'), sparesIntegration: true } as Outcome },
      { state: 'failed', reason: 'rejected_integration' },
    ],
    [
      'a retry waits with jitter',
      { outcome: connectionRefused, attemptsMade: 3 },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'a wait that the provider asked for is used',
      { outcome: { ...connectionRefused, afterMs: 60_000 } as Outcome },
      { state: 'queued', dueAfterMs: 60_000, waits: 'retry' },
    ],
    [
      'a wait of hours is used once',
      { outcome: { ...connectionRefused, afterMs: 18_053_000 } as Outcome },
      { state: 'queued', dueAfterMs: 18_053_000, waits: 'retry', isLongWait: true },
    ],
    [
      'a second wait of hours is cut to 15 minutes',
      { outcome: { ...connectionRefused, afterMs: 18_053_000 } as Outcome, hasWaitedLong: true },
      { state: 'queued', dueAfterMs: 900_000, waits: 'retry' },
    ],
    [
      'a refusal with a skip reason is skipped, not failed',
      {
        outcome: {
          ...rejected('integration'),
          skip: 'no_integration',
          sparesIntegration: true,
        } as Outcome,
      },
      { state: 'skipped', reason: 'no_integration' },
    ],
    [
      'an opt-out is skipped at once, without a failover',
      {
        outcome: { ...rejected('recipient'), skip: 'opted_out' } as Outcome,
        attemptsMade: 2,
        attemptsInRow: 2,
      },
      { state: 'skipped', reason: 'opted_out' },
    ],
    [
      'the last attempt fails the message',
      { outcome: connectionRefused, attemptsMade: 8 },
      { state: 'failed', reason: 'attempts_exhausted' },
    ],
    [
      'a reason that allows one more attempt is retried once',
      { outcome: { ...connectionRefused, maxAttempts: 2 } as Outcome },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry' },
    ],
    [
      'a reason that allows one more attempt fails after it',
      { outcome: { ...connectionRefused, maxAttempts: 2 } as Outcome, attemptsMade: 2 },
      { state: 'failed', reason: 'attempts_exhausted' },
    ],
    [
      'an unknown outcome is resent as a possible duplicate',
      { outcome: unknown },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'a second unknown outcome is final',
      { outcome: unknown, unknownCount: 1, attemptsMade: 2 },
      { state: 'unknown' },
    ],
    [
      'the channel’s number of resends applies if the version sets none',
      { outcome: unknown, unknownCount: 1, attemptsMade: 2, channelResends: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'a version’s own number of resends overrides the channel’s',
      {
        outcome: unknown,
        unknownCount: 1,
        attemptsMade: 2,
        channelResends: 2,
        version: createVersion({ unknownResends: 1 }),
      },
      { state: 'unknown' },
    ],
    [
      'an unknown outcome is final if the version says hold',
      { outcome: unknown, version: createVersion({ onUnknown: 'hold' }) },
      { state: 'unknown' },
    ],
    [
      'an unknown outcome of the last allowed attempt is final',
      { outcome: unknown, attemptsMade: 8 },
      { state: 'unknown' },
    ],
  ])('%s', (_rule, attempted, expected) => {
    expect(computeNext(attempted)).toEqual(expected);
  });
});

describe('backoffMs', () => {
  test.each([
    [1, 2_000],
    [2, 4_000],
    [5, 32_000],
    [9, 512_000],
    [10, 900_000],
    [60, 900_000],
  ])('spreads the delay after attempt %d between 0 and %d ms', (attemptsMade, longest) => {
    expect(backoffMs(attemptsMade, { ...backoff, random: () => 0 })).toBe(0);
    expect(backoffMs(attemptsMade, { ...backoff, random: () => 1 })).toBe(longest);
  });
});
