import { newId, type RedisConnection } from '@belfry/runtime';
import { createSystemActor, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import {
  createInstallation,
  listAccountIds,
  pauseInstallation,
  readInstallation,
  readPlace,
  renewInstallation,
} from './installation.sql';
import type { StoredInstallation } from './judge-installation';
import { readMarker, writeMarker } from './redis-marker';

type ChangeDeps = { pool: Queryable; redis: RedisConnection; prefix: string };

/**
 * Declares this database the real installation and ends its pause. Another copy on the same Redis pauses at its next
 * check. Returns the row before, or undefined if Redis did not answer; then nothing changed.
 */
export async function confirmInstallation(
  deps: ChangeDeps,
): Promise<StoredInstallation | undefined> {
  const marker = await readMarker(deps);
  if (marker === undefined) return undefined;
  const id = newId();
  // Outside the transaction, which would end if PostgreSQL does not tell its identifier.
  const place = await readPlace(deps.pool);
  const { stored, checkedAt } = await inTransaction(deps.pool, async (client) => {
    const row = await requireInstallation(client);
    const formerIds = [...new Set([...row.formerIds, row.id, ...(marker ? [marker.id] : [])])];
    const renewedAt = await renewInstallation(client, { formerIds, newId: id, place });
    const change = { pause_reason: row.pauseReason };
    await auditAll(client, { action: 'installation.confirmed', subject: id, change });
    return { stored: row, checkedAt: renewedAt };
  });
  await writeMarker(deps, { id, checkedAt });
  return stored;
}

/** Pauses sending of the whole installation. Returns false if it was paused. */
export async function pauseByOperator(pool: Queryable): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { id } = await requireInstallation(client);
    if (!(await pauseInstallation(client, id, 'operator'))) return false;
    await auditAll(client, { action: 'installation.paused', subject: id });
    return true;
  });
}

/** Creates the row if nothing started yet. */
async function requireInstallation(client: Queryable): Promise<StoredInstallation> {
  await createInstallation(client, newId());
  const row = await readInstallation(client);
  if (!row) throw new Error('The installation has no row');
  return row;
}

type Entry = Parameters<typeof writeAudit>[2];

async function auditAll(client: Queryable, entry: Entry): Promise<void> {
  for (const accountId of await listAccountIds(client)) {
    await writeAudit(client, createSystemActor(accountId), entry);
  }
}
