import { classifyTwilioError } from './classify-error';

test.each([
  [20429, {}],
  [14107, {}],
  [21611, { afterMs: 300_000 }],
  [30001, { afterMs: 300_000 }],
  [30022, { afterMs: 300_000 }],
])('Twilio’s code %i slows the integration', (code, wait) => {
  expect(classifyTwilioError(code, { status: 429, headers: {} })).toEqual({
    ...{ outcome: 'retry', reason: String(code), slows: 'integration', ...wait },
    detail: expect.any(String),
  });
});
