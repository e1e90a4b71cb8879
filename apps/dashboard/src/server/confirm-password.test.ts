import { createConfirmPassword } from './confirm-password';
import type { Session } from './sessions';
import { createTries } from './tries';

const session: Session = {
  tokenHash: Buffer.alloc(32),
  operator: { id: 'mara', email: 'mara@example.com', role: 'owner', passwordHash: 'a hash' },
  account: { id: 'account', name: 'Account' },
  expiresAt: new Date(0),
  endsAt: new Date(0),
};

test('a stolen session cannot guess the password', async () => {
  const confirmPassword = createConfirmPassword({
    passwords: {
      findMatching: async (password, operators) => (password === 'right' ? [...operators] : []),
    },
    tries: createTries({ max: 2, refillMs: 60_000, maxNames: 10, now: () => 0 }),
  });
  const getCode = (password: string) =>
    confirmPassword(session, password).then(
      () => 'confirmed',
      ({ code }) => code,
    );
  expect(await getCode('wrong')).toBe('wrong_password');
  expect(await getCode('right')).toBe('confirmed');
  const codes = await Promise.all(['wrong', 'wrong', 'right'].map(getCode));
  expect(codes).toEqual(['wrong_password', 'wrong_password', 'too_many_tries']);
});
