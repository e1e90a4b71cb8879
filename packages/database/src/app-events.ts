import { newId } from '@belfry/runtime';
import type { VersionDefinition } from '@belfry/shared';
import type pg from 'pg';
import { type Actor, writeAudit } from './audit';
import { isUuid } from './look-ups';
import { inTransaction, type Queryable, sqlStateOf } from './transaction';

export type AppEvent = {
  id: string;
  name: string;
  /** Changes with each write; a writer names the one that it read. */
  revision: string;
  /** What the editor holds and nobody is sent; null where it is what is live. */
  draft: VersionDefinition | null;
  live: VersionDefinition | null;
  liveNumber: number | null;
  publishedAt: Date | null;
  updatedAt: Date;
};

/** The event was written in the meantime: when, and by whom, where that is known. */
export type DraftConflict = { revision: string; savedAt: Date; savedBy: string | null };

export type DraftSaved = { revision: string } | { conflict: DraftConflict };
export type Published =
  | { versionId: string; number: number; revision: string }
  | { conflict: DraftConflict };

type Place = { appId: string; id: string };
type Write = Place & { revision: string };

const uniqueViolation = '23505';
const maxListed = 1_000;

/** An app's events, as operators handle them. Each change is the actor's, whose account has the app. */
export function createAppEvents(pool: pg.Pool) {
  return {
    async listEvents(appId: string): Promise<AppEvent[]> {
      const { rows } = await pool.query<AppEvent>(
        `${select} WHERE e.app_id = $1 AND e.deleted_at IS NULL ORDER BY e.name LIMIT ${maxListed}`,
        [appId],
      );
      return rows;
    },

    findAppEvent: (place: Place) => findAppEvent(pool, place),

    /** Undefined when the name is taken. */
    async addEvent(
      actor: Actor,
      event: { appId: string; name: string },
    ): Promise<string | undefined> {
      const { appId, name } = event;
      const id = newId();
      try {
        return await inTransaction(pool, async (client) => {
          await client.query('INSERT INTO event (id, app_id, name) VALUES ($1, $2, $3)', [
            id,
            appId,
            name,
          ]);
          await writeAudit(client, actor, {
            appId,
            action: 'event.create',
            subject: id,
            change: { name },
          });
          return id;
        });
      } catch (error) {
        if (sqlStateOf(error) === uniqueViolation) return undefined;
        throw error;
      }
    },

    async saveDraft(actor: Actor, write: Write, draft: VersionDefinition): Promise<DraftSaved> {
      return inTransaction(pool, async (client) => {
        const revision = await touch(client, write);
        if (revision === undefined) return { conflict: await describeConflict(client, write) };
        await client.query('UPDATE event SET draft = $2 WHERE id = $1', [write.id, draft]);
        await writeAudit(client, actor, {
          appId: write.appId,
          action: 'event.save',
          subject: write.id,
        });
        return { revision };
      });
    },

    publishDraft: (actor: Actor, write: Write, version: NewVersion) =>
      publishDraft(pool, { actor, write, version }),

    async removeEvent(actor: Actor, { appId, id }: Place): Promise<void> {
      await inTransaction(pool, async (client) => {
        await client.query(
          'UPDATE event SET deleted_at = now() WHERE app_id = $1 AND id = $2 AND deleted_at IS NULL',
          [appId, id],
        );
        await writeAudit(client, actor, { appId, action: 'event.remove', subject: id });
      });
    },
  };
}

export type AppEvents = ReturnType<typeof createAppEvents>;

export type NewVersion = { definition: VersionDefinition; note: string | undefined };

const revisionOf = '(extract(epoch FROM e.updated_at) * 1000)::bigint::text';

const select = `SELECT e.id, e.name, ${revisionOf} AS revision, e.draft, v.definition AS live,
    v.number AS "liveNumber", v.created_at AS "publishedAt", e.updated_at AS "updatedAt"
  FROM event e LEFT JOIN event_version v ON v.id = e.live_version_id`;

async function findAppEvent(pool: pg.Pool, { appId, id }: Place): Promise<AppEvent | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await pool.query<AppEvent>(
    `${select} WHERE e.app_id = $1 AND e.id = $2 AND e.deleted_at IS NULL`,
    [appId, id],
  );
  return rows[0];
}

/** The definition becomes the event's next version and its live one; the editor then holds what is live. */
async function publishDraft(
  pool: pg.Pool,
  { actor, write, version }: { actor: Actor; write: Write; version: NewVersion },
): Promise<Published> {
  const { appId, id: eventId } = write;
  return inTransaction(pool, async (client) => {
    // The event's row, which this locks, gives each version its own number.
    const revision = await touch(client, write);
    if (revision === undefined) return { conflict: await describeConflict(client, write) };
    const versionId = newId();
    const { rows } = await client.query<{ number: number }>(
      `INSERT INTO event_version (id, event_id, app_id, number, kind, definition, note, created_by)
       SELECT $1, $2, $3, coalesce(max(number), 0) + 1, 'live', $4, $5, $6
       FROM event_version WHERE event_id = $2 RETURNING number`,
      [versionId, eventId, appId, version.definition, version.note, actor.operatorId],
    );
    const number = rows[0]?.number ?? 0;
    await client.query('UPDATE event SET draft = NULL, live_version_id = $2 WHERE id = $1', [
      eventId,
      versionId,
    ]);
    const change = { number, versionId };
    await writeAudit(client, actor, { appId, action: 'event.publish', subject: eventId, change });
    return { versionId, number, revision };
  });
}

/** Takes the event for this writer, with a new revision; undefined where it is no longer what the writer read. */
async function touch(
  client: Queryable,
  { appId, id, revision }: Write,
): Promise<string | undefined> {
  const { rows } = await client.query<{ revision: string }>(
    `UPDATE event e SET updated_at = greatest(now(), e.updated_at + interval '1 ms')
     WHERE e.app_id = $1 AND e.id = $2 AND e.deleted_at IS NULL AND ${revisionOf} = $3
     RETURNING ${revisionOf} AS revision`,
    [appId, id, revision],
  );
  return rows[0]?.revision;
}

async function describeConflict(client: Queryable, { id }: Place): Promise<DraftConflict> {
  const { rows } = await client.query<DraftConflict>(
    `SELECT ${revisionOf} AS revision, e.updated_at AS "savedAt", (
       SELECT o.email FROM audit_entry a JOIN operator o ON o.id = a.operator_id
       JOIN app p ON p.id = e.app_id AND p.account_id = a.account_id
       WHERE a.subject = e.id::text AND a.action IN ('event.save', 'event.publish')
       ORDER BY a.id DESC LIMIT 1
     ) AS "savedBy"
     FROM event e WHERE e.id = $1`,
    [id],
  );
  const [found] = rows;
  if (!found) throw new Error('The event is gone');
  return found;
}
