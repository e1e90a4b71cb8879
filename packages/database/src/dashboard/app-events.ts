import { newId } from '@belfry/runtime';
import type { VersionDefinition } from '@belfry/shared';
import type pg from 'pg';
import { inTransaction, type Queryable, sqlStateOf } from '../transaction';
import { type Actor, changeWithAudit, writeAudit } from './audit';

export type AppEventRow = {
  id: string;
  name: string;
  draft: VersionDefinition | null;
  draftRevision: number;
  draftSavedAt: Date | null;
  draftSavedBy: string | null;
  createdAt: Date;
  updatedAt: Date;
  live: StoredVersion | null;
};

export type StoredVersion = {
  id: string;
  number: number;
  kind: 'live' | 'test';
  note: string | null;
  createdAt: Date;
  createdBy: string | null;
  definition: VersionDefinition;
};

export type DraftSave = {
  eventId: string;
  /** The revision that it was made from. */
  basedOn: number;
  definition: VersionDefinition;
};

const maxEventsListed = 1_000;

/** The events of an app, their drafts and versions. Every one is asked for with its app. */
export function createAppEvents(pool: pg.Pool) {
  return {
    list: (appId: string) => listEvents(pool, appId, null),

    async find(appId: string, id: string): Promise<AppEventRow | undefined> {
      return (await listEvents(pool, appId, id))[0];
    },

    create: (actor: Actor, appId: string, name: string) =>
      createEvent(pool, actor, { appId, name }),

    /** False when the name is taken. */
    rename: (actor: Actor, appId: string, renamed: { id: string; name: string }) =>
      renameEvent(pool, { ...actor, appId }, renamed),

    async remove(actor: Actor, appId: string, id: string): Promise<void> {
      const entry = { action: 'event.removed', subject: id };
      await changeWithAudit(pool, { ...actor, appId }, entry, (client) =>
        client.query(
          'UPDATE event SET deleted_at = now() WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL',
          [id, appId],
        ),
      );
    },

    /** False when somebody else saved in between. */
    async saveDraft(actor: Actor, appId: string, save: DraftSave): Promise<boolean> {
      const { eventId, basedOn, definition } = save;
      const { rowCount } = await pool.query(
        `UPDATE event SET draft = $4, draft_revision = draft_revision + 1, draft_saved_at = now(),
           draft_saved_by = $5, updated_at = now()
         WHERE id = $1 AND app_id = $2 AND draft_revision = $3 AND deleted_at IS NULL`,
        [eventId, appId, basedOn, JSON.stringify(definition), actor.operatorId],
      );
      return rowCount === 1;
    },

    publish: (actor: Actor, appId: string, publish: Publish) =>
      publishDraft(pool, actor, { ...publish, appId }),

    ...createVersionQueries(pool),
  };
}

function createVersionQueries(pool: pg.Pool) {
  return {
    async createTestVersion(
      actor: Actor,
      appId: string,
      { eventId, definition }: { eventId: string; definition: VersionDefinition },
    ): Promise<{ id: string } | undefined> {
      return inTransaction(pool, async (client) => {
        if (!(await lockEvent(client, appId, eventId))) return undefined;
        const version = { eventId, appId, definition, kind: 'test' as const };
        const { id } = await insertVersion(client, version, actor);
        const entry = { action: 'event.tested', subject: eventId, change: { version: id } };
        await writeAudit(client, { ...actor, appId }, entry);
        return { id };
      });
    },

    async listVersions(
      appId: string,
      { eventId, before, limit }: { eventId: string; before: number | undefined; limit: number },
    ): Promise<StoredVersion[]> {
      const { rows } = await pool.query<StoredVersion>(
        `SELECT ${versionColumns} FROM event_version v LEFT JOIN operator o ON o.id = v.created_by
         WHERE v.event_id = $1 AND v.app_id = $2 AND v.kind = 'live' AND ($3::int IS NULL OR v.number < $3)
         ORDER BY v.number DESC LIMIT $4`,
        [eventId, appId, before, limit],
      );
      return rows;
    },

    async findVersion(
      appId: string,
      { eventId, versionId }: { eventId: string; versionId: string },
    ): Promise<StoredVersion | undefined> {
      const { rows } = await pool.query<StoredVersion>(
        `SELECT ${versionColumns} FROM event_version v LEFT JOIN operator o ON o.id = v.created_by
         WHERE v.id = $1 AND v.event_id = $2 AND v.app_id = $3`,
        [versionId, eventId, appId],
      );
      return rows[0];
    },

    /** The newest request of the event, with what it brought. */
    async findLastCall(appId: string, eventId: string): Promise<LastCall | undefined> {
      const { rows } = await pool.query<LastCall>(
        `SELECT r.id AS "requestId", r.created_at AS "createdAt", i.data, i.recipient
         FROM (SELECT id, created_at FROM request WHERE app_id = $1 AND event_id = $2 ORDER BY id DESC LIMIT ${lastCallsLookedAt}) r
         JOIN request_item i ON i.request_id = r.id AND i.item = 0
         WHERE i.data IS NOT NULL AND NOT starts_with(i.data, '"') ORDER BY r.id DESC LIMIT 1`,
        [appId, eventId],
      );
      return rows[0];
    },
  };
}

export type AppEvents = ReturnType<typeof createAppEvents>;

export type LastCall = {
  requestId: string;
  createdAt: Date;
  /** JSON, as stored. */
  data: string;
  recipient: string | null;
};

export type Publish = { eventId: string; basedOn: number; note: string | undefined };

const lastCallsLookedAt = 20;
const uniqueViolation = '23505';

const versionColumns = `v.id, v.number, v.kind, v.note, v.created_at AS "createdAt", o.email AS "createdBy", v.definition`;

async function listEvents(pool: pg.Pool, appId: string, id: string | null): Promise<AppEventRow[]> {
  const { rows } = await pool.query<AppEventRow>(
    `SELECT e.id, e.name, e.draft, e.draft_revision AS "draftRevision", e.draft_saved_at AS "draftSavedAt",
       d.email AS "draftSavedBy", e.created_at AS "createdAt", e.updated_at AS "updatedAt",
       CASE WHEN v.id IS NOT NULL THEN jsonb_build_object('id', v.id, 'number', v.number, 'kind', v.kind, 'note', v.note,
         'createdAt', v.created_at, 'createdBy', o.email, 'definition', v.definition) END AS live
     FROM event e
     LEFT JOIN event_version v ON v.id = e.live_version_id
     LEFT JOIN operator o ON o.id = v.created_by
     LEFT JOIN operator d ON d.id = e.draft_saved_by
     WHERE e.app_id = $1 AND e.deleted_at IS NULL AND ($2::uuid IS NULL OR e.id = $2)
     ORDER BY e.name LIMIT ${maxEventsListed}`,
    [appId, id],
  );
  return rows.map(({ live, ...row }) => ({
    ...row,
    live: live && { ...live, createdAt: new Date(live.createdAt) },
  }));
}

async function renameEvent(
  pool: pg.Pool,
  actor: Actor & { appId: string },
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const entry = { action: 'event.renamed', subject: id, change: { name } };
  try {
    await changeWithAudit(pool, actor, entry, (client) =>
      client.query(
        'UPDATE event SET name = $3, updated_at = now() WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL',
        [id, actor.appId, name],
      ),
    );
    return true;
  } catch (error) {
    if (sqlStateOf(error) === uniqueViolation) return false;
    throw error;
  }
}

/** Undefined when the name is taken. */
async function createEvent(
  pool: pg.Pool,
  actor: Actor,
  { appId, name }: { appId: string; name: string },
): Promise<string | undefined> {
  const id = newId();
  const entry = { action: 'event.created', subject: id, change: { name } };
  return changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO event (id, app_id, name) VALUES ($1, $2, $3)
       ON CONFLICT (app_id, name) WHERE deleted_at IS NULL DO NOTHING RETURNING id`,
      [id, appId, name],
    );
    return rows[0]?.id;
  });
}

/** The draft becomes the event's next version and its live one; undefined when somebody else saved in between. */
async function publishDraft(
  pool: pg.Pool,
  actor: Actor,
  { appId, eventId, basedOn, note }: Publish & { appId: string },
): Promise<{ id: string; number: number } | undefined> {
  return inTransaction(pool, async (client) => {
    const event = await lockEvent(client, appId, eventId);
    if (!event?.draft || event.draftRevision !== basedOn) return undefined;
    const version = await insertVersion(
      client,
      { eventId, appId, definition: event.draft, kind: 'live', note },
      actor,
    );
    await client.query('UPDATE event SET live_version_id = $2, updated_at = now() WHERE id = $1', [
      eventId,
      version.id,
    ]);
    const entry = {
      action: 'event.published',
      subject: eventId,
      change: { version: version.id, number: version.number },
    };
    await writeAudit(client, { ...actor, appId }, entry);
    return version;
  });
}

/** The event's row is the lock that gives each version its own number. */
async function lockEvent(
  client: Queryable,
  appId: string,
  eventId: string,
): Promise<{ draft: VersionDefinition | null; draftRevision: number } | undefined> {
  const { rows } = await client.query<{ draft: VersionDefinition | null; draftRevision: number }>(
    `SELECT draft, draft_revision AS "draftRevision" FROM event
     WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL FOR UPDATE`,
    [eventId, appId],
  );
  return rows[0];
}

type NewVersion = {
  eventId: string;
  appId: string;
  definition: VersionDefinition;
  kind: 'live' | 'test';
  note?: string | undefined;
};

async function insertVersion(
  client: Queryable,
  { eventId, appId, definition, kind, note }: NewVersion,
  { operatorId }: Actor,
): Promise<{ id: string; number: number }> {
  const id = newId();
  const { rows } = await client.query<{ number: number }>(
    `INSERT INTO event_version (id, event_id, app_id, number, kind, definition, note, created_by)
     SELECT $1, $2, $3, coalesce(max(number), 0) + 1, $4, $5, $6, $7 FROM event_version WHERE event_id = $2
     RETURNING number`,
    [id, eventId, appId, kind, JSON.stringify(definition), note, operatorId],
  );
  return { id, number: rows[0]?.number ?? 0 };
}
