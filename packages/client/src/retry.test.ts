import { backoffMs, isRetryable, nextWaitMs, readRetryAfterMs } from './retry';

const nowMs = Date.parse('2026-03-01T12:00:00Z');

describe('isRetryable', () => {
  test.each([
    [undefined, 'network_error', true],
    [undefined, 'timeout', true],
    [undefined, 'aborted', false],
    [200, 'unexpected_answer', false],
    [301, 'unexpected_answer', false],
    [400, 'invalid_type', false],
    [401, 'unauthenticated', false],
    [403, 'https_required', false],
    [404, 'event_not_found', false],
    [408, 'request_timeout', true],
    [409, 'idempotency_conflict', true],
    [409, 'unexpected_answer', false],
    [413, 'body_too_large', false],
    [415, 'unsupported_media_type', false],
    [422, 'validation_failed', false],
    [422, 'idempotency_mismatch', false],
    [425, 'unexpected_answer', true],
    [429, 'rate_limited', true],
    [431, 'headers_too_large', false],
    [500, 'internal', true],
    [502, 'unexpected_answer', true],
    [503, 'unavailable', true],
    [504, 'unexpected_answer', true],
  ])('for status %s with code %s is %s', (status, code, expected) => {
    expect(isRetryable({ status, code, isReplay: false })).toBe(expected);
  });

  test('is false for a stored 500, because the same key always has the same answer', () => {
    expect(isRetryable({ status: 500, code: 'internal', isReplay: true })).toBe(false);
  });
});

describe('nextWaitMs', () => {
  const failure = { status: 503, code: 'unavailable', isReplay: false, retryAfterMs: undefined };
  const progress = { attempts: 1, retries: 3, leftMs: 60_000, random: 0.5 };

  test.each([
    ['waits half of the first step', {}, {}, 250],
    ['adds jitter to the wait that the gateway asked for', { retryAfterMs: 2_000 }, {}, 2_250],
    ['makes the last retry', {}, { attempts: 3 }, 1_000],
    ['ends after the last retry', {}, { attempts: 4 }, undefined],
    ['ends if retries are disabled', {}, { retries: 0 }, undefined],
    ['ends for a final failure', { status: 422 }, {}, undefined],
    ['ends if the wait would reach the deadline', {}, { leftMs: 250 }, undefined],
    [
      'ends if the gateway asks for more than the remaining time',
      { retryAfterMs: 90_000 },
      {},
      undefined,
    ],
  ])('%s', (_title, changes, more, expected) => {
    expect(nextWaitMs({ ...failure, ...changes }, { ...progress, ...more })).toBe(expected);
  });
});

describe('backoffMs', () => {
  test.each([
    [1, 499],
    [2, 999],
    [5, 7_999],
    [6, 9_999],
    [20, 9_999],
  ])('after %s attempts is at most %s ms', (attempts, highest) => {
    expect(backoffMs(attempts, 0.999_999)).toBe(highest);
    expect(backoffMs(attempts, 0)).toBe(0);
  });
});

describe('readRetryAfterMs', () => {
  test.each([
    ['1', 1_000],
    ['0', 0],
    ['Sun, 01 Mar 2026 12:00:05 GMT', 5_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('returns for %s: %s', (header, expected) => {
    expect(readRetryAfterMs(header, nowMs)).toBe(expected);
  });
});
