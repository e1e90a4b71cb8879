import { check } from './check';
import { buildRecording, formatAnswer, type RunInput } from './recording.fixture';

const brokenOff = { status: 0, body: '' };
const unavailable = { status: 503, body: '{}', hasRetryAfter: true };
const busy = { status: 409, body: '{}' };
const late = { status: 408, body: '{}' };

/** One send whose worker could not determine the outcome, and the next one. */
const twice: RunInput = {
  message: { attempts: 2, unknownCount: 1, settledMs: 9_000 },
  attempts: [
    { closedMs: 8_200, outcome: 'unknown', reason: 'lease_expired' },
    { openedMs: 8_500, closedMs: 9_000 },
  ],
  sends: [{}, { atMs: 8_600, answeredMs: 8_610 }],
};

/** The outcome of the first attempt was recorded after its lease, while the second one was open. */
const lateFirst: RunInput = {
  ...twice,
  attempts: [{ closedMs: 8_700 }, { openedMs: 8_500, closedMs: 9_000 }],
  faults: [{ name: 'process.stop_until_late', liftedMs: 8_650, isKill: false }],
};

const findBrokenInvariants = (input: RunInput) =>
  [...new Set(check(buildRecording(input)).violations.map(({ invariant }) => invariant))].join();

const sentState = { type: 'state', messageId: 'm1', state: 'sent' } as const;
const sentWebhook = { ...sentState, type: 'webhook', atMs: 500, id: 'w1' } as const;

describe('a run has no violation with', () => {
  test.each<[string, RunInput]>([
    ['a webhook that arrives twice with one ID', { more: [sentState, sentWebhook, sentWebhook] }],
    ['one call, one send', {}],
    ['a replay with the same bytes', { calls: [{}, {}, {}] }],
    ['a broken connection, then a replay', { calls: [{ answer: brokenOff }, {}] }],
    ['503 with Retry-After, then a first answer', { calls: [{ answer: unavailable }, {}] }],
    ['408 to a call that is repeated', { calls: [{ answer: late }, {}] }],
    ['409 beside another call', { calls: [{}, { atMs: 110, answer: busy }, {}] }],
    [
      '409 while the lock of an unanswered call exists',
      { calls: [{ answer: brokenOff }, { atMs: 9_000, answer: busy }, { atMs: 12_000 }] },
    ],
    [
      'a refused other body under the same key',
      { calls: [{}, { variant: 'other', answer: { status: 422, body: '{}' } }] },
    ],
    [
      'a refused app of another account',
      { calls: [{}, { variant: 'stranger', answer: { status: 404, body: '{}' } }] },
    ],
    [
      'an unknown outcome that stays unknown under hold',
      {
        policy: 'hold',
        message: { state: 'unknown' },
        attempts: [{ outcome: 'unknown' }],
        sends: [{ isAnswered: false }],
      },
    ],
    [
      'an unknown outcome after the last resend',
      { message: { state: 'unknown', unknownCount: 2 }, attempts: [{ outcome: 'unknown' }] },
    ],
  ])('%s', (_what, input) => {
    const verdict = check(buildRecording(input));
    expect(verdict.violations).toEqual([]);
    expect(verdict).toMatchObject({ lost: 0, doubleAccepted: 0, unsettled: 0, duplicates: 0 });
  });
});

describe('the check reports', () => {
  test.each<[string, string, RunInput]>([
    [
      'A1',
      'a 200 for a request that is not stored',
      { requestIds: [], message: undefined, attempts: [], sends: [] },
    ],
    [
      'A1',
      'a 200 with the id of another request',
      { calls: [{ answer: { body: formatAnswer('r2') } }] },
    ],
    [
      'A2',
      'two answers to one key',
      { calls: [{}, { answer: { body: `${formatAnswer('r1')} ` } }] },
    ],
    ['A3', 'a key that was accepted twice', { requestIds: ['r1', 'r0'] }],
    ['A4', 'a request without a call that can have created it', { calls: [] }],
    ['A4', 'a request of a call that was answered 408', { calls: [{ answer: late }] }],
    ['A5', 'another body under the key that was accepted', { calls: [{}, { variant: 'other' }] }],
    [
      'A5',
      'the same body under the key that was refused',
      { calls: [{}, { answer: { status: 422 } }] },
    ],
    ['A6', '409 with no other call of the key', { calls: [{ answer: busy }, { atMs: 9_000 }] }],
    [
      'A6',
      '409 long after the lock of an unanswered call expired',
      { calls: [{ answer: brokenOff }, { atMs: 20_000, answer: busy }, { atMs: 30_000 }] },
    ],
    ['A7', 'a bare 500', { calls: [{ answer: { status: 500 } }, {}] }],
    ['A7', '503 without Retry-After', { calls: [{ answer: { status: 503 } }, {}] }],
    ['B1', 'a message that still waits', { message: { state: 'queued', settledMs: undefined } }],
    [
      'B1',
      'a message that failed without a refusal',
      { message: { state: 'failed', reason: 'expired' } },
    ],
    ['B1', 'a message that stayed unknown under resend', { message: { state: 'unknown' } }],
    ['B1', 'a request without a message for a channel', { message: undefined, sends: [] }],
    ['B1', 'a key that got no final answer', { unanswered: ['k1'] }],
    ['B2', 'a sent message without a provider call', { sends: [] }],
    ['B2', 'a send without a message', { sends: [{}, { target: 'C2' }] }],
    ['B2', 'a send without an attempt', { attempts: [], message: { settledMs: undefined } }],
    [
      'B4',
      'a message resent with another dedupe value',
      { ...twice, faults: [{}], sends: [{}, { atMs: 8_600, dedupe: 'other' }] },
    ],
    ['B5', 'a message resent under hold', { ...twice, policy: 'hold', faults: [{}] }],
    [
      'B6',
      'a message settled by an attempt other than its last',
      { ...twice, faults: [{}], message: { settledMs: 8_200 } },
    ],
    [
      'B6',
      'a message settled by a late result while a newer attempt was open',
      { ...lateFirst, message: { attempts: 2, unknownCount: 1, settledMs: 8_700 } },
    ],
    [
      'B7',
      'a message that a late result requeued, so that a third attempt began beside the second',
      {
        ...lateFirst,
        message: { attempts: 3, unknownCount: 1, settledMs: 9_200 },
        attempts: [
          { closedMs: 8_700, outcome: 'retry' },
          { openedMs: 8_500, closedMs: 9_000 },
          { openedMs: 8_800, closedMs: 9_200 },
        ],
      },
    ],
    [
      'B7',
      'a message retried before the lease of its attempt expired',
      { ...twice, faults: [{}], attempts: [{}, { openedMs: 390, closedMs: 9_000 }] },
    ],
    [
      'B7',
      'a newer attempt left open, because a late result had settled its message',
      {
        ...lateFirst,
        message: { attempts: 2, unknownCount: 1, settledMs: undefined },
        attempts: [{ closedMs: 8_700 }, { openedMs: 8_500, closedMs: undefined }],
      },
    ],
    ['C1', 'a secret in a log', { more: [{ type: 'leak', what: 'an API key', place: 'a log' }] }],
    [
      'C2',
      'an app that accepts another account',
      { calls: [{}, { variant: 'stranger', answer: { status: 403 } }] },
    ],
    [
      'D1',
      'a process that crashed',
      { more: [{ type: 'crash', name: 'relay', pid: 9, atMs: 1, lastWords: '' }] },
    ],
    ['E1', 'a state without a webhook', { more: [sentState] }],
    [
      'E1',
      'two webhooks with different IDs for one state',
      { more: [sentState, sentWebhook, { ...sentWebhook, id: 'w2' }] },
    ],
    ['E1', 'a webhook for a state that never was', { more: [{ ...sentWebhook, state: 'failed' }] }],
    [
      'D1',
      'a process that leaks handles',
      { more: [{ type: 'resource', name: 'relay', residentBytes: 1, handles: 5_000 }] },
    ],
  ])('%s: %s', (invariant, _what, input) => {
    expect(findBrokenInvariants(input)).toBe(invariant);
  });
});

describe('a second send', () => {
  test.each<[string, RunInput]>([
    ['reply_dropped', { sends: [{ isAnswered: false }, { atMs: 8_600 }] }],
    ['reply_late', { sends: [{ answeredMs: 7_900 }, { atMs: 8_600, answeredMs: 8_610 }] }],
    ['reply_late', { sends: [{ atMs: 8_000, answeredMs: 8_001 }, { atMs: 8_600 }] }],
    [
      'reply_late',
      {
        attempts: [
          { closedMs: 8_200, outcome: 'unknown', reason: 'timeout' },
          { openedMs: 8_500, closedMs: 9_000 },
        ],
        sends: [{ atMs: 8_400, answeredMs: 8_410 }, { atMs: 8_600 }],
      },
    ],
    [
      'reply_late',
      {
        attempts: [
          { closedMs: 4_900, outcome: 'unknown', reason: 'timeout' },
          { openedMs: 8_500, closedMs: 9_000 },
        ],
        sends: [{ answeredMs: 3_500 }, { atMs: 8_600, answeredMs: 8_610 }],
      },
    ],
    ['worker_killed', { faults: [{}] }],
    ['worker_stopped', { faults: [{ name: 'process.stop', isKill: false }] }],
    ['worker_stopped', { faults: [{ name: 'process.stop_until_late', isKill: false }] }],
    ['worker_killed', { faults: [{}], sends: [{ isAnswered: false }, { atMs: 8_600 }] }],
    ['postgres_away', { faults: [{ name: 'postgres.stop', target: 'postgres', pid: undefined }] }],
    ['postgres_away', { faults: [{ name: 'postgres_link.black_hole', isKill: false }] }],
  ])('is explained by %s if that was recorded', (cause, input) => {
    const verdict = check(buildRecording({ ...twice, ...input }));
    expect(verdict.violations).toEqual([]);
    expect(verdict).toMatchObject({
      duplicates: 1,
      duplicatesByCause: { [cause]: 1 },
      unexplainedDuplicates: 0,
    });
  });

  test('may follow a result that arrived while the next attempt was open', () => {
    expect(findBrokenInvariants(lateFirst)).toBe('');
  });

  test.each<[string, RunInput]>([
    ['no fault was recorded', {}],
    [
      'the answer was sent long before the fault',
      { sends: [{ answeredMs: 3_200 }, { atMs: 8_600, answeredMs: 8_610 }] },
    ],
    [
      'the answer was sent long before the deadline',
      {
        attempts: [
          { closedMs: 3_250, outcome: 'unknown', reason: 'timeout' },
          { openedMs: 8_500, closedMs: 9_000 },
        ],
        sends: [{ answeredMs: 2_000 }, { atMs: 8_600, answeredMs: 8_610 }],
      },
    ],
    [
      'the provider accepted it after the lease expired',
      { sends: [{ atMs: 8_400, answeredMs: 8_410 }, { atMs: 8_600 }] },
    ],
    ['another worker was killed', { faults: [{ pid: 8 }] }],
    ['its worker was killed before the send', { faults: [{ atMs: 10, liftedMs: 50 }] }],
    ['Redis was down', { faults: [{ name: 'redis.kill', target: 'redis', pid: undefined }] }],
    [
      'the PostgreSQL link of another process was broken',
      { faults: [{ name: 'postgres_link.reset', pid: 8 }] },
    ],
    [
      'the first outcome was known',
      { faults: [{}], attempts: [{ outcome: 'accepted' }, { openedMs: 8_500, closedMs: 9_000 }] },
    ],
    [
      'it is not marked as a possible duplicate',
      {
        faults: [{}],
        attempts: [
          { closedMs: 8_200, outcome: 'unknown' },
          { openedMs: 8_500, closedMs: 9_000, isPossibleDuplicate: false },
        ],
      },
    ],
    [
      'one cause would explain two sends',
      {
        faults: [{}],
        sends: [{}, { atMs: 310 }, { atMs: 8_600 }],
        attempts: [...(twice.attempts ?? []), { openedMs: 9_500, closedMs: 9_000 }],
      },
    ],
  ])('is unexplained if %s', (_what, input) => {
    const verdict = check(buildRecording({ ...twice, ...input }));
    expect(verdict.violations.map(({ invariant }) => invariant)).toContain('B3');
    expect(verdict.unexplainedDuplicates).toBe(1);
  });
});

describe('in the verdict', () => {
  test.each<[string, RunInput, object]>([
    [
      'a missing request counts as lost',
      { requestIds: [], message: undefined, sends: [], attempts: [] },
      { lost: 1 },
    ],
    [
      'a message that was never created counts as lost',
      { message: undefined, sends: [] },
      { lost: 1 },
    ],
    [
      'a failed message counts as lost',
      { message: { state: 'failed' } },
      { lost: 1, unsettled: 0 },
    ],
    [
      'a waiting message counts as unsettled',
      { message: { state: 'queued' } },
      { lost: 0, unsettled: 1 },
    ],
    ['a key without an answer counts as unsettled', { unanswered: ['k1'] }, { unsettled: 1 }],
    [
      'a second request of a key counts as accepted twice',
      { requestIds: ['r1', 'r0'] },
      { doubleAccepted: 1 },
    ],
  ])('%s', (_what, input, counts) => {
    expect(check(buildRecording(input))).toMatchObject(counts);
  });
});
