import { checkKeyRing, createDatabase, type Database, readServer } from '@belfry/database';
import { createLogger, createSecrets, type Env, type Secrets } from '@belfry/runtime';
import { needSettings } from './need-settings';

export type SealedDatabase = { database: Database; secrets: Secrets };

const poolSize = 2;

/** Opens the database for a command that seals or opens secrets, after checking BELFRY_KEYS against it. */
export async function withSealedDatabase<T>(
  env: Env<'cli'>,
  work: (opened: SealedDatabase) => Promise<T>,
): Promise<T> {
  needSettings(env, ['BELFRY_KEYS']);
  const secrets = createSecrets(env.BELFRY_KEYS);
  return withDatabase(env, async (database) => {
    const problems = await checkKeyRing(database.delivery, secrets);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return work({ database, secrets });
  });
}

export async function withDatabase<T>(
  env: Env<'cli'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const log = createLogger({ level: 'error', process: 'cli' });
  const database = createDatabase({ ...readServer(env), poolSize, log });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
