import { SecretError, type Secrets } from '@belfry/runtime';
import type { Queryable } from './transaction';

const canaryText = 'belfry';

/** The place to which the canary of a key is sealed. */
function keyCanaryPlace(keyId: string): string {
  return `key_canary:${keyId}`;
}

/**
 * Checks that the ring can open the secrets in the database. Each key that sealed something has a canary row; the current
 * key gets one too. Returns a sentence for each key that is missing or has other bytes.
 */
export async function checkKeyRing(database: Queryable, secrets: Secrets): Promise<string[]> {
  const problems = await findRingProblems(database, secrets);
  // A wrong ring must not add its key: later checks would require it.
  if (problems.length > 0) return problems;
  await database.query(
    'INSERT INTO key_canary (key_id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [secrets.keyId, secrets.seal(canaryText, keyCanaryPlace(secrets.keyId))],
  );
  return [];
}

/** The same check, without writing a canary. */
export async function findRingProblems(database: Queryable, secrets: Secrets): Promise<string[]> {
  const { rows } = await database.query<{ key_id: string; sealed: string }>(
    'SELECT key_id, sealed FROM key_canary ORDER BY key_id',
  );
  return rows.flatMap((row) => findProblem(row.key_id, row.sealed, secrets) ?? []);
}

function findProblem(keyId: string, sealed: string, secrets: Secrets): string | undefined {
  if (!secrets.keyIds.includes(keyId)) {
    return (
      `BELFRY_KEYS: the key "${keyId}" is missing, and credentials in this database are sealed with it. ` +
      'Add it after the first key. `belfry keys rotate` reports when you can remove it.'
    );
  }
  try {
    secrets.open(sealed, keyCanaryPlace(keyId));
    return undefined;
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return (
      `BELFRY_KEYS: the key "${keyId}" is not the one that sealed the credentials in this database. ` +
      'Restore its original bytes, and give a new key a new name.'
    );
  }
}
