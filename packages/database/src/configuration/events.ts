import { newId } from '@belfry/runtime';
import type { VersionDefinition } from '@belfry/shared';
import { type Actor, type ActorInApp, changeWithAudit, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { createEventCalls } from './event-calls';
import { createEventVersions, type StoredVersion } from './event-versions';
import { unlessTaken } from './unless-taken';

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

export type DraftSave = {
  eventId: string;
  /** The revision that the operator edited. */
  basedOn: number;
  definition: VersionDefinition;
  /** Set when the save is not an edit. */
  action?: 'event.draft_discarded' | 'event.version_restored';
};

export const maxEventsListed = 1_000;
const maxEventsOfName = 20;

/** The events of an app, with their drafts and versions. Each query names the app. */
export function createAppEvents(pool: Queryable) {
  return {
    list: (appId: string) => listEvents(pool, appId, null),

    async find(appId: string, id: string): Promise<AppEventRow | undefined> {
      return (await listEvents(pool, appId, id))[0];
    },

    /** Also of removed events: the log has their requests. */
    async listIdsByName(appId: string, name: string): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM event WHERE app_id = $1 AND name = $2 ORDER BY id DESC LIMIT ${maxEventsOfName}`,
        [appId, name],
      );
      return rows.map(({ id }) => id);
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

    /** False when another operator saved in between. */
    async saveDraft(actor: Actor, appId: string, save: DraftSave): Promise<boolean> {
      return saveDraft(pool, { ...actor, appId }, save);
    },

    ...createEventVersions(pool),
    ...createEventCalls(pool),
  };
}

/** The editor saves automatically. An operator gets one audit entry per 15 minutes of editing, not one per save. */
const draftPauseMs = 15 * 60_000;

async function saveDraft(
  pool: Queryable,
  actor: ActorInApp,
  { eventId, basedOn, definition, action }: DraftSave,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ isNews: boolean }>(
      `UPDATE event e SET draft = $4, draft_revision = e.draft_revision + 1, draft_saved_at = now(),
         draft_saved_by = $5, updated_at = now()
       FROM (SELECT id, draft IS NULL OR draft_saved_by IS DISTINCT FROM $5::uuid
           OR draft_saved_at IS NULL OR draft_saved_at <= now() - $6::float8 * interval '1 ms' AS "isNews"
         FROM event WHERE id = $1 FOR UPDATE) before
       WHERE e.id = before.id AND e.app_id = $2 AND e.draft_revision = $3 AND e.deleted_at IS NULL
       RETURNING before."isNews"`,
      [eventId, actor.appId, basedOn, JSON.stringify(definition), actor.operatorId, draftPauseMs],
    );
    const [saved] = rows;
    if (!saved) return false;
    const entry = { action: action ?? 'event.draft_saved', subject: eventId };
    if (saved.isNews || action !== undefined) await writeAudit(client, actor, entry);
    return true;
  });
}

export type AppEvents = ReturnType<typeof createAppEvents>;

async function listEvents(
  pool: Queryable,
  appId: string,
  id: string | null,
): Promise<AppEventRow[]> {
  const { rows } = await pool.query<AppEventRow>(
    `SELECT e.id, e.name, e.draft, e.draft_revision AS "draftRevision", e.draft_saved_at AS "draftSavedAt",
       d.email AS "draftSavedBy", e.created_at AS "createdAt", e.updated_at AS "updatedAt",
       CASE WHEN v.id IS NOT NULL THEN jsonb_build_object('id', v.id, 'number', v.number, 'kind', v.kind, 'note', v.note,
         'rolledBackTo', v.rolled_back_to, 'createdAt', v.created_at, 'createdBy', o.email, 'definition', v.definition) END AS live
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
  pool: Queryable,
  actor: ActorInApp,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  const createEntry = (before: { name: string }) => {
    return { action: 'event.renamed', subject: id, change: { name }, before };
  };
  const result = await unlessTaken(() =>
    changeWithAudit(pool, actor, createEntry, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `UPDATE event e SET name = $3, updated_at = now()
         FROM (SELECT id, name FROM event WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL FOR UPDATE) old
         WHERE e.id = old.id RETURNING old.name`,
        [id, actor.appId, name],
      );
      return rows[0];
    }),
  );
  return result !== 'taken';
}

/** Undefined when the name is taken. */
async function createEvent(
  pool: Queryable,
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
