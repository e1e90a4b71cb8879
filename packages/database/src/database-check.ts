import type { Secrets, StartCheck } from '@belfry/runtime';
import { judgeClock, readClocks } from './clock-check';
import { checkKeyRing } from './key-canary';
import { checkPostgres, type PostgresCheckDeps } from './server-check';

/** Checks the server, the schema, the clocks and the key ring before a process starts. */
export function createDatabaseCheck(deps: PostgresCheckDeps & { secrets: Secrets }): StartCheck {
  const { pool, secrets } = deps;
  return {
    name: 'postgresql',
    async read() {
      const result = await checkPostgres(deps);
      // An outdated schema may lack the table of canaries.
      if (result.refusals.length > 0) return result;
      const { refusals, warnings } = judgeClock(await readClocks(pool));
      return {
        refusals: [...refusals, ...(await checkKeyRing(pool, secrets))],
        warnings: [...result.warnings, ...warnings],
      };
    },
  };
}
