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

describe('nextState', () => {
  test.each<[string, Partial<Attempted> & { outcome: Outcome }, object]>([
    ['accepted is sent', { outcome: accepted }, { state: 'sent' }],
    [
      'a refused recipient fails, and is never called again',
      { outcome: rejected('recipient') },
      { state: 'failed', reason: 'rejected_recipient' },
    ],
    [
      'refused content fails',
      { outcome: rejected('content') },
      { state: 'failed', reason: 'rejected_content' },
    ],
    [
      'a refused integration moves on to the next of the chain at once',
      { outcome: rejected('integration') },
      { state: 'queued', dueAfterMs: 0, waits: 'retry', integrationId: 'i2' },
    ],
    [
      'behind the last refused integration comes the first of the chain again, after a wait',
      { outcome: rejected('integration'), integrationId: 'i2', attemptsMade: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', integrationId: 'i1' },
    ],
    [
      'the only integration of a chain, refused, waits for a person',
      { outcome: rejected('integration'), version: createVersion({}, ['i1']) },
      { state: 'queued', dueAfterMs: 900_000, waits: 'needs_attention' },
    ],
    [
      'a refused recipient never moves on',
      { outcome: rejected('recipient'), attemptsInRow: 2, attemptsMade: 2 },
      { state: 'failed', reason: 'rejected_recipient' },
    ],
    [
      'refused content never moves on',
      { outcome: rejected('content'), attemptsInRow: 2, attemptsMade: 2 },
      { state: 'failed', reason: 'rejected_content' },
    ],
    [
      'the first try that was certainly not sent is followed by one with the same integration',
      { outcome: connectionRefused },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry' },
    ],
    [
      'the second one in a row moves on to the next integration',
      { outcome: connectionRefused, attemptsMade: 2, attemptsInRow: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', integrationId: 'i2' },
    ],
    [
      'the first try with the next integration stays there',
      { outcome: connectionRefused, attemptsMade: 3, attemptsInRow: 1, integrationId: 'i2' },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'behind two tries with the last one comes the first of the chain again',
      { outcome: connectionRefused, attemptsMade: 4, attemptsInRow: 2, integrationId: 'i2' },
      { state: 'queued', dueAfterMs: 8_000, waits: 'retry', integrationId: 'i1' },
    ],
    [
      'the only integration of a chain is tried again and again',
      {
        outcome: connectionRefused,
        attemptsMade: 3,
        attemptsInRow: 3,
        version: createVersion({}, ['i1']),
      },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'what a provider asked for does not hold up the next one, and is not its long wait',
      {
        outcome: { ...connectionRefused, afterMs: 18_053_000 } as Outcome,
        attemptsMade: 2,
        attemptsInRow: 2,
      },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', integrationId: 'i2' },
    ],
    [
      'all integrations of a chain together have no more than the allowed attempts',
      { outcome: connectionRefused, attemptsMade: 8, attemptsInRow: 2 },
      { state: 'failed', reason: 'attempts_exhausted' },
    ],
    [
      'without an integration there is none to move on to',
      { outcome: connectionRefused, attemptsMade: 3, attemptsInRow: 3, integrationId: undefined },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'an unknown outcome does not move on by itself',
      { outcome: unknown, attemptsInRow: 2, attemptsMade: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'an unknown outcome moves on where the version says so',
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
      'an unknown outcome that may move on stays where there is no other integration',
      { outcome: unknown, version: createVersion({ onUnknown: 'resend_next' }, ['i1']) },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'an unknown outcome that may move on is not sent more often for it',
      {
        outcome: unknown,
        unknownCount: 1,
        attemptsMade: 2,
        version: createVersion({ onUnknown: 'resend_next' }),
      },
      { state: 'unknown' },
    ],
    [
      'a refused token of the call’s own fails that message only',
      { outcome: { ...rejected('integration'), ownToken: true } as Outcome },
      { state: 'failed', reason: 'rejected_integration' },
    ],
    [
      'certainly not sent is tried again with jitter',
      { outcome: connectionRefused, attemptsMade: 3 },
      { state: 'queued', dueAfterMs: 4_000, waits: 'retry' },
    ],
    [
      'a provider’s own wait is honoured',
      { outcome: { ...connectionRefused, afterMs: 60_000 } as Outcome },
      { state: 'queued', dueAfterMs: 60_000, waits: 'retry' },
    ],
    [
      'a provider’s wait of hours is honoured',
      { outcome: { ...connectionRefused, afterMs: 18_053_000 } as Outcome },
      { state: 'queued', dueAfterMs: 18_053_000, waits: 'retry', isLongWait: true },
    ],
    [
      'a wait of hours that is asked for again is cut to 15 minutes',
      { outcome: { ...connectionRefused, afterMs: 18_053_000 } as Outcome, hasWaitedLong: true },
      { state: 'queued', dueAfterMs: 900_000, waits: 'retry' },
    ],
    [
      'a message that should not have been sent is skipped, and not failed',
      {
        outcome: {
          ...rejected('integration'),
          skip: 'no_integration',
          ownToken: true,
        } as Outcome,
      },
      { state: 'skipped', reason: 'no_integration' },
    ],
    [
      'an opt-out is skipped at once, and no other integration is tried',
      {
        outcome: { ...rejected('recipient'), skip: 'opted_out' } as Outcome,
        attemptsMade: 2,
        attemptsInRow: 2,
      },
      { state: 'skipped', reason: 'opted_out' },
    ],
    [
      'the last attempt ends it',
      { outcome: connectionRefused, attemptsMade: 8 },
      { state: 'failed', reason: 'attempts_exhausted' },
    ],
    [
      'a reason that is worth one more try is tried once more',
      { outcome: { ...connectionRefused, maxAttempts: 2 } as Outcome },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry' },
    ],
    [
      'a reason that is worth one more try ends with it',
      { outcome: { ...connectionRefused, maxAttempts: 2 } as Outcome, attemptsMade: 2 },
      { state: 'failed', reason: 'attempts_exhausted' },
    ],
    [
      'an unknown outcome is sent again as a possible duplicate',
      { outcome: unknown },
      { state: 'queued', dueAfterMs: 1_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'a second unknown outcome stays unknown',
      { outcome: unknown, unknownCount: 1, attemptsMade: 2 },
      { state: 'unknown' },
    ],
    [
      'a channel that is sent again more often is, where the version does not say otherwise',
      { outcome: unknown, unknownCount: 1, attemptsMade: 2, channelResends: 2 },
      { state: 'queued', dueAfterMs: 2_000, waits: 'retry', isPossibleDuplicate: true },
    ],
    [
      'a version’s own number of resends counts before the channel’s',
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
      'an unknown outcome is held where the version says so',
      { outcome: unknown, version: createVersion({ onUnknown: 'hold' }) },
      { state: 'unknown' },
    ],
    [
      'an unknown outcome of the last allowed attempt stays unknown',
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
  ])('spreads the wait after attempt %d from nothing up to %d ms', (attemptsMade, longest) => {
    expect(backoffMs(attemptsMade, { ...backoff, random: () => 0 })).toBe(0);
    expect(backoffMs(attemptsMade, { ...backoff, random: () => 1 })).toBe(longest);
  });
});
