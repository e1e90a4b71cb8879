import { defaultPolicy } from '@belfry/shared';
import { explainRequest } from './explain-request';
import type { TimelineAttempt, TimelineMessage } from './read-messages';
import type { RequestTimeline, TimelineHead } from './read-request';

const time = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, seconds));
const now = time(100);

const attempt: TimelineAttempt = {
  messageId: 'm',
  number: 1,
  openedAt: time(1),
  closedAt: time(2),
  worker: 'host:1',
  provider: 'smtp',
  integrationName: null,
  outcome: 'accepted',
  reason: null,
  detail: null,
  isPossibleDuplicate: false,
  providerMessageId: null,
  request: null,
  response: null,
};

const message: TimelineMessage = {
  id: 'm',
  item: 0,
  channel: 'email',
  target: 'ana@example.com',
  generation: 0,
  state: 'sent',
  reason: null,
  waits: null,
  waitsNow: null,
  dueAt: null,
  expiresAt: time(3_600),
  createdAt: time(0),
  settledAt: null,
  isQueued: true,
  attemptsMade: 0,
  unknownCount: 0,
  notes: null,
  resendOf: null,
  integrationId: null,
  integrationName: null,
  isIntegrationRemoved: false,
  attempts: [],
  receipts: [],
};

const head: TimelineHead = {
  requestId: 'r',
  appId: 'a',
  appName: 'Shop',
  delivery: 'live',
  kind: 'single',
  items: 1,
  plannedItems: 1,
  acceptedAt: time(0),
  traceId: null,
  apiKeyId: null,
  idempotencyKey: null,
  eventId: 'e',
  eventName: 'order_shipped',
  isEventDeleted: false,
  versionId: 'v',
  versionNumber: 1,
  versionKind: 'live',
  definition: {
    ...{ defaultLocale: 'en', missing: 'empty', isSensitive: false },
    channels: { email: { integrationIds: [], templates: {}, policy: defaultPolicy } },
  },
};

const request: RequestTimeline = {
  head,
  skips: [],
  messages: [],
  verdicts: new Map(),
  isCut: false,
};

function explain(
  messageChanges: Partial<TimelineMessage>,
  requestChanges: Partial<RequestTimeline> = {},
): string[] {
  return explainRequest(
    { ...request, ...requestChanges, messages: [{ ...message, ...messageChanges }] },
    now,
  );
}

describe('explainRequest', () => {
  test('names the resend and the run that created it', () => {
    expect(explain({ generation: 2 })[1]).toMatch(/, resend 2, is sent\./);
    expect(explain({ generation: 1, notes: { resend_run: 'run' } })[1]).toMatch(
      /, resend 1 by resend run run, is /,
    );
  });

  test('names the skipped integration and the reason for the failover', () => {
    const failover = { name: 'first', reason: 'needs_attention', detail: 'Authenticate' };
    const notes = { failovers: { i: { ...failover, at: time(1).getTime() } } };
    expect(explain({ notes })).toContain(
      `  At ${time(1).toISOString()} the integration "first" was skipped (needs_attention): The integration needs attention. Authenticate.`,
    );
  });

  test('follows a message from acceptance to the provider’s receipt', () => {
    const receipt = {
      messageId: 'm',
      receivedAt: time(5),
      errorCode: null,
      detail: null,
      body: '',
    };
    const receipts = [{ ...receipt, state: 'delivered' }];
    expect(explain({ state: 'delivered', attempts: [attempt], receipts })).toEqual([
      'Request r was accepted at 2026-01-01T10:00:00.000Z: a single send of the event "order_shipped" with 1 item, for the app "Shop".',
      'Item 1 by email to a***@example.com is delivered. The provider reported that the message arrived.',
      '  Attempt 1 with smtp started at 2026-01-01T10:00:01.000Z. The provider accepted the message.',
      '  At 2026-01-01T10:00:05.000Z the provider reported the state delivered.',
    ]);
  });

  test('counts items from 1, and gives the reason why a channel has no message', () => {
    const skips = [{ item: 3, skips: { slack: { reason: 'no_address', detail: 'no slack' } } }];
    expect(explainRequest({ ...request, skips }, now)).toContain(
      'Item 4 was not sent by slack (no_address): The recipient has no address for this channel. no slack.',
    );
  });

  test.each<[string, Partial<TimelineMessage>, string]>([
    [
      'the reason of a failure',
      { state: 'failed', reason: 'expired' },
      'Item 1 by email to a***@example.com is failed. The message could not be delivered. (expired: It expired before it could be sent.)',
    ],
    [
      'the reason of a wait',
      { state: 'queued', dueAt: time(160), waits: 'retry' },
      '  Next attempt at 2026-01-01T10:02:40.000Z. The previous attempt failed. It expires at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'an open circuit',
      { state: 'queued', dueAt: time(160), waits: 'circuit' },
      '  Next attempt at 2026-01-01T10:02:40.000Z. The circuit of its integration is open, because calls timed out. It expires at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'the worker role that should deliver it',
      { state: 'queued', dueAt: time(50) },
      '  It has been due since 2026-01-01T10:00:50.000Z. It has a job, which a worker with the role deliver-email should take. It expires at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'the role that should enqueue it',
      { state: 'queued', dueAt: time(50), isQueued: false },
      '  It has been due since 2026-01-01T10:00:50.000Z. It has no job yet; the role relay should enqueue it. It expires at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'the end of the lease',
      { state: 'sending', dueAt: time(120) },
      '  A worker has a lease on it until 2026-01-01T10:02:00.000Z. After that, its outcome is unknown.',
    ],
    [
      'an open attempt and its worker',
      { state: 'sending', attempts: [{ ...attempt, closedAt: null, outcome: null }] },
      '  Attempt 1 with smtp started at 2026-01-01T10:00:01.000Z on the worker host:1 and has not ended.',
    ],
    [
      'that an attempt may be a duplicate',
      { attempts: [{ ...attempt, number: 2, isPossibleDuplicate: true }] },
      '  Attempt 2 with smtp started at 2026-01-01T10:00:01.000Z. The provider accepted the message. An earlier attempt may have been sent, so this one may be a duplicate.',
    ],
    [
      'the provider’s answer',
      { attempts: [{ ...attempt, outcome: 'unknown', reason: 'timeout', detail: 'No answer' }] },
      '  Attempt 1 with smtp started at 2026-01-01T10:00:01.000Z. It is unknown whether the message was sent (timeout). No answer.',
    ],
  ])('states %s', (_what, messageChanges, sentence) => {
    expect(explain(messageChanges)).toContain(sentence);
  });

  test.each([
    [
      'suppressed',
      'be skipped (suppressed): The address is suppressed, or the provider refused the token of the device.',
    ],
    ['expired', 'fail (expired): It expired before it could be sent.'],
    ['paused', 'wait (paused): Its app, channel or integration is paused.'],
  ] as const)('states that a queued message is %s by now', (obstacle, end) => {
    const verdicts = new Map([['m', { obstacle, suppression: null, optOut: null }]]);
    const queued = { state: 'queued', dueAt: time(50) } as const;
    expect(explain(queued, { verdicts })).toContain(`  If a worker took it now, it would ${end}`);
    expect(explain({ ...queued, waits: obstacle }, { verdicts }).join()).not.toContain(
      'took it now',
    );
  });

  test('states who suppressed an address, when, why and for which sender', () => {
    const manual = { reason: 'manual', detail: 'Left.', sender: '' };
    const by = { source: 'manual', addedBy: 'ops@example.com' };
    const suppression = { ...manual, ...by, at: '2026-01-01T09:00:00.000Z' };
    const skipped = { state: 'skipped', reason: 'suppressed' } as const;
    const explainWith = (changes: object) =>
      explain(skipped, {
        verdicts: new Map([
          [
            'm',
            {
              ...{ obstacle: 'suppressed', optOut: null },
              suppression: { ...suppression, ...changes },
            },
          ],
        ]),
      })[1];
    expect(explainWith({})).toContain(
      'The address is suppressed for every sender: added by ops@example.com at 2026-01-01 09:00 UTC: Left. If',
    );
    expect(
      explainWith({ reason: 'bounced', source: 'bounce', addedBy: null, sender: 'S' }),
    ).toContain(
      'The address is suppressed for the sender S: a bounce was reported by the provider at 2026-01-01 09:00 UTC',
    );
    expect(explainWith({ source: 'api', addedBy: null })).toContain('added by the API at');
    const verdicts = new Map([['m', { obstacle: null, suppression: null, optOut: null }]]);
    expect(explain(skipped, { verdicts })[1]).toContain('It is not suppressed now.');
  });

  test('counts the items that fanout has not planned yet', () => {
    const bulk = { ...head, kind: 'bulk' as const, items: 1_000, plannedItems: 400 };
    expect(explainRequest({ ...request, head: bulk }, now)).toContain(
      '600 items wait for the role fanout, which plans their messages.',
    );
  });

  test('states that there was no recipient, and that the app delivers to the sandbox', () => {
    const [first, second] = explainRequest(
      { ...request, head: { ...head, delivery: 'sandbox' } },
      now,
    );
    expect(first).toMatch(/which delivers to the sandbox\.$/);
    expect(second).toBe('It has no message: no channel had a recipient.');
  });
});
