import type { Operators } from '@belfry/database';
import type { Request, Response } from 'express';
import { sessionOf } from '../call';
import { Refusal } from '../refusal';
import { type AttemptLimit, addressOf } from './attempt-limit';
import type { Passwords } from './password';

/** Throws unless the password that came with the call is that of who is signed in. */
export type AskAgain = (req: Request, res: Response, password: string) => Promise<void>;

export type AskAgainDeps = {
  operators: Pick<Operators, 'findPasswordHash'>;
  passwords: Pick<Passwords, 'verify'>;
  attempts: AttemptLimit;
};

export function createAskAgain({ operators, passwords, attempts }: AskAgainDeps): AskAgain {
  return async function askAgain(req, res, password) {
    const { operatorId, email } = sessionOf(res);
    const attempt = { email, address: addressOf(req) };
    attempts.count(attempt);
    const hash = await operators.findPasswordHash(operatorId);
    if (!(await passwords.verify(password, hash))) {
      throw new Refusal('password_wrong', 'the password is wrong');
    }
    attempts.forgive(attempt);
  };
}
