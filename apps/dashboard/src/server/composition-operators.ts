import { createAccess, createOperatorTotp, createPeople, type Database } from '@belfry/database';
import { type Env, type Secrets, version } from '@belfry/runtime';
import type { DashboardDeps } from './app';
import { createConfirmPassword } from './confirm-password';
import type { Connections } from './connection';
import { createDevices } from './devices';
import { createPasswords, type PasswordCost } from './password';
import { createSessions } from './sessions';
import { createSignInLimits, knownLimit } from './sign-in-limits';
import { createTotp } from './totp';
import { createTries } from './tries';

const maxOperatorsConfirming = 10_000;

export type OperatorServicesDeps = {
  pool: Database['lookUps'];
  secrets: Secrets;
  connections: Connections;
  passwordCost: PasswordCost | undefined;
};

/** Sign-in, two-step sign-in and people. */
export function createOperatorServices(
  env: Env<'dashboard'>,
  { pool, secrets, connections, passwordCost }: OperatorServicesDeps,
): Pick<DashboardDeps, 'session' | 'totp' | 'people'> {
  const now = () => Date.now();
  const access = createAccess(pool);
  const passwords = createPasswords({ ...access, cost: passwordCost });
  const sessions = createSessions({ access, connections });
  const tries = createTries({ ...knownLimit, maxNames: maxOperatorsConfirming, now });
  const confirmPassword = createConfirmPassword({ passwords, tries });
  const devices = createDevices({ secrets, connections });
  const limits = createSignInLimits({ devices, connections, now });
  const totp = createTotp({ store: createOperatorTotp(pool), secrets, limits, now });
  return {
    session: {
      access,
      sessions,
      passwords,
      connections,
      confirmPassword,
      limits,
      totp,
      devices,
      version,
      gatewayUrl: env.PUBLIC_URL,
    },
    totp: { totp, confirmPassword },
    people: { people: createPeople(pool), confirmPassword },
  };
}
