import type { Secrets, StartCheck } from '@belfry/runtime';
import { checkKeyRing } from './key-canary';
import { checkPostgres, type PostgresCheckDeps } from './server-check';

/** What a process asks of PostgreSQL before it works with it: the server, the schema, and the ring of keys. */
export function createDatabaseCheck(deps: PostgresCheckDeps & { secrets: Secrets }): StartCheck {
  const { pool, secrets } = deps;
  return {
    name: 'postgresql',
    async read() {
      const result = await checkPostgres(deps);
      // The canary lies in a table that a schema which is behind may not have.
      if (result.refusals.length > 0) return result;
      return { ...result, refusals: await checkKeyRing(pool, secrets) };
    },
  };
}
