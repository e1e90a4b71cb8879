import type { Passwords } from './password';
import { Refusal, tooManyTries } from './problem';
import type { Session } from './sessions';
import type { Tries } from './tries';

/** Protects actions that a stolen session must not be able to perform. */
export type ConfirmPassword = (session: Session, password: string) => Promise<void>;

export function createConfirmPassword({
  passwords,
  tries,
}: {
  passwords: Pick<Passwords, 'findMatching'>;
  tries: Tries;
}): ConfirmPassword {
  return async function confirmPassword({ operator }, password) {
    const seconds = tries.begin(operator.id);
    if (seconds > 0) throw tooManyTries(seconds);
    if ((await passwords.findMatching(password, [operator])).length === 0) {
      throw new Refusal('wrong_password', 'The password is wrong.', {
        fields: [{ path: 'password', problem: 'is wrong' }],
      });
    }
    tries.forget(operator.id);
  };
}
