import {
  type AttemptTimeline,
  explainRequest,
  type MessageTimeline,
  type RequestTimeline,
} from './explain-request';

const time = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, seconds));
const now = time(100);

const attempt: AttemptTimeline = {
  number: 1,
  openedAt: time(1),
  closedAt: time(2),
  worker: 'host:1',
  provider: 'smtp',
  outcome: 'accepted',
  reason: undefined,
  detail: undefined,
  isPossibleDuplicate: false,
};

const message: MessageTimeline = {
  id: 'm',
  item: 0,
  channel: 'email',
  target: 'a***@example.com',
  generation: 0,
  resendRun: undefined,
  state: 'sent',
  reason: undefined,
  waits: undefined,
  dueAt: undefined,
  expiresAt: time(3_600),
  isQueued: true,
  attempts: [],
  failovers: [],
  receipts: [],
};

const request: RequestTimeline = {
  id: 'r',
  appName: 'Shop',
  delivery: 'live',
  eventName: 'order_shipped',
  kind: 'single',
  items: 1,
  plannedItems: 1,
  createdAt: time(0),
  isSensitive: false,
  skips: [],
  messages: [],
  isCut: false,
};

function explain(
  messageChanges: Partial<MessageTimeline>,
  requestChanges: Partial<RequestTimeline> = {},
): string[] {
  return explainRequest(
    { ...request, ...requestChanges, messages: [{ ...message, ...messageChanges }] },
    now,
  );
}

describe('explainRequest', () => {
  test('tells of a message that was sent again, and by which run', () => {
    expect(explain({ generation: 2 })[1]).toMatch(/, resend 2, is sent\./);
    expect(explain({ generation: 1, resendRun: 'run' })[1]).toMatch(
      /, resend 1 by the run run, is /,
    );
  });

  test('tells which integration was passed over, and why', () => {
    const failovers = [
      { name: 'first', reason: 'needs_attention' as const, detail: 'Authenticate', at: time(1) },
    ];
    expect(explain({ failovers })).toContain(
      `  At ${time(1).toISOString()} the integration "first" was passed over (needs_attention): The integration needs attention. Authenticate.`,
    );
  });

  test('tells of a message from its acceptance to the report of its provider', () => {
    const receipts = [{ state: 'delivered', receivedAt: time(5), detail: undefined }];
    expect(explain({ state: 'delivered', attempts: [attempt], receipts })).toEqual([
      'Request r was accepted at 2026-01-01T10:00:00.000Z: a single send of the event "order_shipped" with 1 item, for the app "Shop".',
      'Item 0 by email to a***@example.com is delivered. The provider reported that the message arrived.',
      '  Attempt 1 with smtp began at 2026-01-01T10:00:01.000Z. The provider took the message.',
      '  At 2026-01-01T10:00:05.000Z the provider reported that it is delivered.',
    ]);
  });

  test('says why a channel has no message', () => {
    const skips = [{ item: 3, channel: 'slack', reason: 'no_address', detail: 'no slack' }];
    expect(explainRequest({ ...request, skips }, now)).toContain(
      'Item 3 was not sent by slack (no_address): The recipient has no address for this channel. no slack.',
    );
  });

  test.each<[string, Partial<MessageTimeline>, string]>([
    [
      'why it failed',
      { state: 'failed', reason: 'expired' },
      'Item 0 by email to a***@example.com is failed. The message could not be sent. (expired: Its time to live ended before it could be sent.)',
    ],
    [
      'what a retry waits for',
      { state: 'queued', dueAt: time(160), waits: 'retry' },
      '  It waits until 2026-01-01T10:02:40.000Z, because the attempt before it did not succeed. It is given up at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'who should have taken it',
      { state: 'queued', dueAt: time(50) },
      '  It has been due since 2026-01-01T10:00:50.000Z: a job has it, so a worker with the role deliver-email should take it. It is given up at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'who should have queued it',
      { state: 'queued', dueAt: time(50), isQueued: false },
      '  It has been due since 2026-01-01T10:00:50.000Z: it has no job yet, so the role relay should queue it. It is given up at 2026-01-01T11:00:00.000Z.',
    ],
    [
      'until when its worker has it',
      { state: 'sending', dueAt: time(120) },
      '  Its worker has it until 2026-01-01T10:02:00.000Z; after that its outcome is unknown.',
    ],
    [
      'which attempt nobody ended',
      { state: 'sending', attempts: [{ ...attempt, closedAt: undefined, outcome: undefined }] },
      '  Attempt 1 with smtp began at 2026-01-01T10:00:01.000Z by the worker host:1 and is open.',
    ],
    [
      'that an attempt may be a duplicate',
      { attempts: [{ ...attempt, number: 2, isPossibleDuplicate: true }] },
      '  Attempt 2 with smtp began at 2026-01-01T10:00:01.000Z. The provider took the message. An earlier attempt may have been sent, so this one may be a duplicate.',
    ],
    [
      'what the provider answered',
      { attempts: [{ ...attempt, outcome: 'unknown', reason: 'timeout', detail: 'No answer' }] },
      '  Attempt 1 with smtp began at 2026-01-01T10:00:01.000Z. Nobody can know whether it was sent (timeout). No answer.',
    ],
  ])('says %s', (_what, messageChanges, sentence) => {
    expect(explain(messageChanges)).toContain(sentence);
  });

  test('says what fanout has still to plan', () => {
    const requestChanges = { kind: 'bulk', items: 1_000, plannedItems: 400 };
    expect(explainRequest({ ...request, ...requestChanges }, now)).toContain(
      '600 items of it wait for the role fanout, which plans their messages.',
    );
  });

  test('says that nobody was written to, and that the sandbox takes it', () => {
    const [first, second] = explainRequest({ ...request, delivery: 'sandbox' }, now);
    expect(first).toMatch(/whose messages all go to the sandbox\.$/);
    expect(second).toBe('It has no message: no channel had somebody to write to.');
  });
});
