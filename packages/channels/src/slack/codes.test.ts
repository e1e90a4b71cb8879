import { classifySlackCode } from './codes';

test.each([
  ['not_in_channel', /invite/],
  ['channel_not_found', /workspace.*private channel/],
])('%s is about the recipient, and the sentence says what to do', (code, hint) => {
  expect(classifySlackCode(code)).toMatchObject({
    outcome: 'rejected',
    scope: 'recipient',
    detail: expect.stringMatching(hint),
  });
});

test.each([
  ['ratelimited', {}],
  ['rate_limited', {}],
  ['message_limit_exceeded', { afterMs: 3_600_000 }],
  ['team_quota_exceeded', { afterMs: 3_600_000 }],
])('%s slows the integration', (code, wait) => {
  expect(classifySlackCode(code)).toEqual({
    ...{ outcome: 'retry', reason: code, slows: 'integration', ...wait },
    detail: expect.any(String),
  });
});
