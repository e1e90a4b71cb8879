import { SecretError, type Secrets } from '@belfry/runtime';
import type { Queryable } from './transaction';

const canaryText = 'belfry';

/** Where a key's canary is sealed to. */
function keyCanaryPlace(keyId: string): string {
  return `key_canary:${keyId}`;
}

/**
 * Whether the ring opens what lies in the database: each key that ever sealed has left a canary. The key that
 * seals now leaves its own. Sentences that name a key that is missing, or is another one than it was.
 */
export async function checkKeyRing(database: Queryable, secrets: Secrets): Promise<string[]> {
  const problems = await findRingProblems(database, secrets);
  // A wrong ring leaves no trace: it must not be asked for later.
  if (problems.length > 0) return problems;
  await database.query(
    'INSERT INTO key_canary (key_id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [secrets.keyId, secrets.seal(canaryText, keyCanaryPlace(secrets.keyId))],
  );
  return [];
}

/** The same question, leaving nothing. */
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
      'Add it back behind the first one; belfry keys rotate says when it can be taken off.'
    );
  }
  try {
    secrets.open(sealed, keyCanaryPlace(keyId));
    return undefined;
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return (
      `BELFRY_KEYS: the key "${keyId}" is not the one that sealed what lies in this database. ` +
      'Give it its own bytes back, and give a new key a new name.'
    );
  }
}
