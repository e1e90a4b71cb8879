import type { Access } from '@belfry/database';
import { EnvError, type Logger } from '@belfry/runtime';
import { minPasswordLength, type Passwords } from './password';

export type FirstOperatorDeps = { access: Access; passwords: Passwords; log: Logger };

/** Both are given, or neither; a password that is too short stops the start and names itself. */
export function checkFirstOperator({ ADMIN_EMAIL, ADMIN_PASSWORD }: FirstOperatorEnv): void {
  const add = (name: 'ADMIN_EMAIL' | 'ADMIN_PASSWORD', problem: string) => {
    throw new EnvError([{ name, problem, example: undefined }]);
  };
  if (ADMIN_EMAIL !== '' && !/^[^\s@]+@[^\s@]+$/.test(ADMIN_EMAIL)) {
    add('ADMIN_EMAIL', 'must be an e-mail address');
  }
  if (ADMIN_EMAIL !== '' && ADMIN_PASSWORD === '')
    add('ADMIN_PASSWORD', 'is missing beside ADMIN_EMAIL');
  if (ADMIN_EMAIL === '' && ADMIN_PASSWORD !== '')
    add('ADMIN_EMAIL', 'is missing beside ADMIN_PASSWORD');
  if (ADMIN_PASSWORD !== '' && ADMIN_PASSWORD.length < minPasswordLength) {
    add('ADMIN_PASSWORD', `must have ${minPasswordLength} characters or more`);
  }
}

export type FirstOperatorEnv = { ADMIN_EMAIL: string; ADMIN_PASSWORD: string };

/** Makes the operator that the environment names, unless there is one with this address. */
export async function ensureFirstOperator(
  { ADMIN_EMAIL, ADMIN_PASSWORD }: FirstOperatorEnv,
  { access, passwords, log }: FirstOperatorDeps,
): Promise<void> {
  const email = ADMIN_EMAIL.toLowerCase();
  if (email === '' || (await access.findOperator(email))) return;
  const passwordHash = await passwords.hash(ADMIN_PASSWORD);
  if (await access.ensureOperator({ email, passwordHash })) log.info('operator.created');
}
