import type { Access } from '@belfry/database';
import type { Env, Logger } from '@belfry/runtime';
import type { Passwords } from './password';

export type FirstOperatorDeps = { access: Access; passwords: Passwords; log: Logger };

/** Creates the operator from the environment, unless the first account has one with this address. */
export async function ensureFirstOperator(
  env: Pick<Env<'dashboard'>, 'ADMIN_EMAIL' | 'ADMIN_PASSWORD'>,
  { access, passwords, log }: FirstOperatorDeps,
): Promise<void> {
  const email = env.ADMIN_EMAIL.toLowerCase();
  if (email === '' || (await access.isInFirstAccount(email))) return;
  const passwordHash = await passwords.hash(email, env.ADMIN_PASSWORD);
  if (await access.ensureOperator({ email, passwordHash })) log.info('operator.created');
}
