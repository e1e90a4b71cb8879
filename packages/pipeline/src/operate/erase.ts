import { type Actor, changeWithAudit, inTransaction, type Queryable } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type pg from 'pg';
import type { UpkeepTask } from '../relay/retention';
import { type ErasePlace, eraseChunk, firstPlace } from './erase.sql';

export type NewErasure = {
  appId: string;
  userSid: string;
  /** Addresses that only this user has. Messages to them are erased unless they name another user. */
  addresses: readonly string[];
};

/** An erasure, with the fields that may still be shown. */
export type ErasureRow = {
  id: string;
  userSid: string;
  messages: number;
  createdBy: string | null;
  createdAt: Date;
  finishedAt: Date | null;
};

/** Chunks that the dashboard's request erases; upkeep does the rest. */
const maxChunksAtOnce = 50;
const maxListed = 20;
/** By then, messages accepted or sent at the moment of the erasure are recorded. */
const settleMs = 2 * 60_000;

/**
 * Deletes the user and the user's devices at once, then erases the addresses and contents of their messages in chunks.
 * Upkeep erases what is left, or was in flight. Undefined if there is no such user.
 */
export async function eraseUser(
  pool: pg.Pool,
  actor: Actor,
  erasure: NewErasure,
): Promise<ErasureRow | undefined> {
  const id = await beginErasure(pool, actor, erasure);
  if (id === undefined) return undefined;
  let place: ErasePlace | undefined = firstPlace;
  for (let chunk = 0; chunk < maxChunksAtOnce && place; chunk += 1) {
    const from: ErasePlace = place;
    place = (await inTransaction(pool, (client) => eraseChunk(client, id, from))).next;
  }
  return (await listErasures(pool, erasure.appId)).find((row) => row.id === id);
}

/** Newest first. */
export async function listErasures(pool: pg.Pool, appId: string): Promise<ErasureRow[]> {
  const { rows } = await pool.query<ErasureRow>(
    `SELECT e.id, e.user_sid AS "userSid", e.messages, o.email AS "createdBy", e.created_at AS "createdAt",
       e.finished_at AS "finishedAt"
     FROM erasure e LEFT JOIN operator o ON o.id = e.created_by
     WHERE e.app_id = $1 ORDER BY e.id DESC LIMIT ${maxListed}`,
    [appId],
  );
  return rows;
}

async function beginErasure(
  pool: pg.Pool,
  actor: Actor,
  { appId, userSid, addresses }: NewErasure,
): Promise<string | undefined> {
  const id = newId();
  const entry = { action: 'user.erased', subject: userSid };
  return changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const { rows } = await client.query<{ user_id: string }>(
      'DELETE FROM app_user WHERE id = $1 AND app_id = $2 RETURNING user_id',
      [userSid, appId],
    );
    if (!rows[0]) return undefined;
    const { user_id } = rows[0];
    await client.query(
      `INSERT INTO erasure (id, app_id, user_sid, user_id, addresses, created_by) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, appId, userSid, user_id, JSON.stringify([...addresses]), actor.operatorId],
    );
    return id;
  });
}

/** Continues erasures, oldest first, until no message of the user is in flight. */
export function createErasureTask(): UpkeepTask {
  let erasure: Unfinished = { id: beforeAll, isSettled: false };
  let place: ErasePlace | undefined;
  let isWaiting = false;

  async function takeNext(database: Queryable): Promise<ErasePlace | undefined> {
    const next = await findUnfinished(database, erasure.id);
    if (!next) return undefined;
    erasure = next;
    isWaiting = false;
    return firstPlace;
  }

  return {
    name: 'erased user',
    async removeChunk(database) {
      const from = place ?? (await takeNext(database));
      if (!from) return { removed: 0, mayBeMore: false };
      const result = await inOwnTransaction(database, () => eraseChunk(database, erasure.id, from));
      place = result.next;
      isWaiting ||= result.isWaiting;
      if (!place && erasure.isSettled && !isWaiting) await finishErasure(database, erasure.id);
      return { removed: result.messages, mayBeMore: true };
    },
  };
}

/** The first search starts here: no id is lower. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** `isSettled`: messages in flight at the moment of the erasure are recorded by now. */
type Unfinished = { id: string; isSettled: boolean };

async function findUnfinished(database: Queryable, after: string): Promise<Unfinished | undefined> {
  const { rows } = await database.query<Unfinished>({
    text: `SELECT id, created_at <= now() - $2::float8 * interval '1 ms' AS "isSettled"
           FROM erasure WHERE finished_at IS NULL AND id > $1 ORDER BY id LIMIT 1`,
    values: [after, settleMs],
  });
  return rows[0];
}

async function inOwnTransaction<T>(database: Queryable, work: () => Promise<T>): Promise<T> {
  await database.query('BEGIN');
  try {
    const result = await work();
    await database.query('COMMIT');
    return result;
  } catch (error) {
    await database.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Finishes an erasure after a full run found no message being sent; removes the user's id and addresses too. */
async function finishErasure(database: Queryable, id: string): Promise<void> {
  await database.query({
    text: `UPDATE erasure SET finished_at = now(), user_id = NULL, addresses = NULL
           WHERE id = $1 AND finished_at IS NULL`,
    values: [id],
  });
}
