import { findResendWarning } from './resend';

describe('a resend', () => {
  test.each([
    ['delivered', true],
    ['read', true],
    ['sent', true],
    ['unknown', true],
    ['failed', false],
    ['skipped', false],
  ])('of a message that is %s warns: %s', (state, warns) => {
    expect(findResendWarning(state) !== undefined).toBe(warns);
  });

  test.each([
    [
      'sent',
      undefined,
      'This message was accepted by the provider: the recipient may get it twice.',
    ],
    ['sent', 1, '1 message was accepted by the provider: the recipient may get it twice.'],
    [
      'sent',
      1_184,
      '1,184 messages were accepted by the provider: their recipients may get them twice.',
    ],
    ['read', 2, '2 messages were read: their recipients will get them twice.'],
    ['unknown', 2, '2 messages may have been sent: their recipients may get them twice.'],
  ])('of %s messages (%s) warns in English', (state, messages, warning) => {
    expect(findResendWarning(state, messages)).toBe(warning);
  });
});
