import { totpPlace } from '@belfry/database';
import { createSecrets } from '@belfry/runtime';
import { testKeyRing } from '@belfry/testing';
import type { Request } from 'express';
import { Secret } from 'otpauth';
import { createTotp, type TotpDeps } from './totp';

const self = { accountId: 'account', operatorId: 'ana' };
const req = {} as Request;

/** An operator with the secret of RFC 6238, appendix B, and a fixed clock. */
function setUp(seconds: number) {
  const secrets = createSecrets(testKeyRing);
  const secret = Secret.fromLatin1('12345678901234567890').base32;
  const row = {
    secret: secrets.seal(secret, totpPlace(self.operatorId)),
    confirmedAt: new Date(0),
    recoveryCodesLeft: 0,
  };
  let lastStep = 0;
  const store = {
    find: async () => row,
    async useStep(_operatorId: string, step: number) {
      const isNew = step > lastStep;
      if (isNew) lastStep = step;
      return isNew;
    },
    useRecoveryCode: async () => false,
  } as unknown as TotpDeps['store'];
  const clock = { seconds };
  const limits = { beginCode: () => () => undefined };
  const totp = createTotp({ store, secrets, limits, now: () => clock.seconds * 1_000 });
  return {
    clock,
    check: (code: string) =>
      totp.checkCode({ req, self, code }).then(
        () => 'right',
        (error) => error.code,
      ),
  };
}

describe('a code of the app', () => {
  // The RFC lists eight digits; six digits are their end.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of RFC 6238 after %d s', async (seconds, code) => {
    expect(await setUp(seconds).check(code)).toBe('right');
  });

  test.each([
    [-60, 'wrong_code'],
    [-30, 'right'],
    [30, 'right'],
    [60, 'wrong_code'],
  ])('is judged %d s from its time: %s', async (seconds, outcome) => {
    expect(await setUp(1_111_111_109 + seconds).check('081804')).toBe(outcome);
  });

  test('is not accepted twice, nor is one of an earlier time step', async () => {
    const { clock, check } = setUp(1_111_111_111);
    // 1,111,111,109 s is the last second of the time step before.
    expect(await check('050471')).toBe('right');
    expect(await check('050471')).toBe('wrong_code');
    expect(await check('081804')).toBe('wrong_code');
    clock.seconds += 30;
    expect(await check('050471')).toBe('wrong_code');
  });

  test('may have spaces', async () => {
    expect(await setUp(59).check(' 287 082 ')).toBe('right');
  });

  test.each(['', '28708', '2870820', '-287082 1', 'abcdef', '２８７０８２'])(
    'is not %j',
    async (code) => {
      expect(await setUp(59).check(code)).toBe('wrong_code');
    },
  );
});
