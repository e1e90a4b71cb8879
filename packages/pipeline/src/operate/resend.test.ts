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
});
