import { findResendObstacle, findResendWarning } from './resend';

const sound = { isNewest: true, isSensitive: false, isErased: false };

describe('a resend', () => {
  test.each(['sent', 'delivered', 'read', 'failed', 'skipped', 'unknown'])(
    'is allowed for a message that is %s',
    (state) => {
      expect(findResendObstacle({ ...sound, state })).toBeUndefined();
    },
  );

  test.each([
    [{ state: 'queued' }],
    [{ state: 'sending' }],
    [{ state: 'failed', isNewest: false }],
    [{ state: 'failed', isSensitive: true }],
    [{ state: 'failed', isErased: true }],
  ])('is refused for %o', (facts) => {
    expect(findResendObstacle({ ...sound, ...facts })).toMatch(/\.$/);
  });

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
