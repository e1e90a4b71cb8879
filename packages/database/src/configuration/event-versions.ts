import { newId } from '@belfry/runtime';
import { completeDefinition, type VersionDefinition, type VersionInput } from '@belfry/shared';
import { type Actor, type ActorInApp, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { requireCategory } from './categories';

export type StoredVersion = {
  id: string;
  /** Unique among the event's versions of this kind. */
  number: number;
  kind: 'live' | 'test';
  note: string | null;
  /** The number of the version that a rollback copied; null for a published draft. */
  rolledBackTo: number | null;
  createdAt: Date;
  createdBy: string | null;
  definition: VersionDefinition;
};

/** With the id of the previous live version. */
export type VersionWithPrevious = StoredVersion & { previousId: string | null };

export type Publish = {
  eventId: string;
  /** The revision of the draft that the operator saw. */
  basedOn: number;
  /** The live version that the operator saw, null for none; undefined skips the check. */
  basedOnLive: string | null | undefined;
  note: string | undefined;
};

export type RollBack = {
  eventId: string;
  /** The version to copy. */
  versionId: string;
  /** The live version that the operator saw. */
  basedOnLive: string;
  note: string | undefined;
};

/** `draft_changed`, `live_changed`: another operator made a change in between, so nothing was published. */
export type PublishResult =
  | { state: 'published'; id: string; number: number }
  | { state: 'draft_changed' | 'live_changed' };

export type RollBackResult =
  | { state: 'published'; id: string; number: number }
  | { state: 'live_changed' | 'is_live' | 'not_found' };

/** The versions of an app's events. Versions are added and never changed; `live_version_id` names the live one. */
export function createEventVersions(pool: Queryable) {
  return {
    publish: (actor: Actor, appId: string, publish: Publish) =>
      inTransaction(pool, (client) => publishDraft(client, { ...actor, appId }, publish)),

    /**
     * Publishes a definition. A draft that an operator edited stays unchanged; one that equals the old live version follows.
     * Undefined when the app has no event with this id.
     */
    async publishDefinition(
      actor: Actor,
      appId: string,
      { eventId, definition }: { eventId: string; definition: VersionInput },
    ): Promise<{ id: string; number: number } | undefined> {
      return inTransaction(pool, async (client) => {
        const event = await lockEvent(client, appId, eventId);
        if (!event) return undefined;
        const version = { eventId, definition: completeDefinition(definition) };
        const replacedId = event.draft === null ? null : event.liveVersionId;
        return publishVersion(client, { ...actor, appId }, version, replacedId);
      });
    },

    rollBack: (actor: Actor, appId: string, rollBack: RollBack) =>
      inTransaction(pool, (client) => rollBackTo(client, { ...actor, appId }, rollBack)),

    async createTestVersion(
      actor: Actor,
      appId: string,
      { eventId, definition }: { eventId: string; definition: VersionDefinition },
    ): Promise<{ id: string } | undefined> {
      return inTransaction(pool, async (client) => {
        const inApp = { ...actor, appId };
        if (!(await lockEvent(client, appId, eventId))) return undefined;
        const { id } = await insertVersion(client, inApp, { eventId, definition, kind: 'test' });
        const entry = { action: 'event.tested', subject: eventId, change: { version: id } };
        await writeAudit(client, inApp, entry);
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
    ): Promise<VersionWithPrevious | undefined> {
      const { rows } = await pool.query<VersionWithPrevious>(
        `SELECT ${versionColumns}, (
           SELECT p.id FROM event_version p
           WHERE p.event_id = v.event_id AND p.kind = 'live'
             AND CASE v.kind WHEN 'live' THEN p.number < v.number ELSE p.id < v.id END
           ORDER BY p.number DESC LIMIT 1) AS "previousId"
         FROM event_version v LEFT JOIN operator o ON o.id = v.created_by
         WHERE v.id = $1 AND v.event_id = $2 AND v.app_id = $3`,
        [versionId, eventId, appId],
      );
      return rows[0];
    },
  };
}

const versionColumns = `v.id, v.number, v.kind, v.note, v.rolled_back_to AS "rolledBackTo", v.created_at AS "createdAt",
  o.email AS "createdBy", v.definition`;

/** The draft becomes the event's next version and its live one. */
async function publishDraft(
  client: Queryable,
  actor: ActorInApp,
  { eventId, basedOn, basedOnLive, note }: Publish,
): Promise<PublishResult> {
  const event = await lockEvent(client, actor.appId, eventId);
  if (!event?.draft || event.draftRevision !== basedOn) return { state: 'draft_changed' };
  if (basedOnLive !== undefined && event.liveVersionId !== basedOnLive) {
    return { state: 'live_changed' };
  }
  const definition = completeDefinition(event.draft);
  // A draft that was saved before there were kinds gets one now.
  if (!event.draft.kind) await client.query(setDraft, [eventId, JSON.stringify(definition)]);
  const version = { eventId, definition, note };
  return { state: 'published', ...(await publishVersion(client, actor, version)) };
}

const setDraft = 'UPDATE event SET draft = $2 WHERE id = $1';

/**
 * The definition becomes the event's next version and its live one. A draft that equals the version `replacedId` follows.
 * Throws `validation_failed` for an unknown category.
 */
async function publishVersion(
  client: Queryable,
  actor: ActorInApp,
  version: Omit<NewVersion, 'kind'>,
  replacedId: string | null = null,
): Promise<{ id: string; number: number }> {
  const { eventId } = version;
  const { id, number } = await insertVersion(client, actor, { ...version, kind: 'live' });
  if (replacedId === null) {
    await client.query(makeLive, [eventId, id]);
  } else {
    await client.query(makeLiveInstead, [eventId, id, replacedId, actor.operatorId]);
  }
  const change = { version: id, number };
  await writeAudit(client, actor, { action: 'event.published', subject: eventId, change });
  return { id, number };
}

/** A copy of an older version becomes the event's next version. The versions in between stay unchanged. */
async function rollBackTo(
  client: Queryable,
  actor: ActorInApp,
  { eventId, versionId, basedOnLive, note }: RollBack,
): Promise<RollBackResult> {
  const event = await lockEvent(client, actor.appId, eventId);
  if (!event) return { state: 'not_found' };
  if (event.liveVersionId !== basedOnLive) return { state: 'live_changed' };
  if (versionId === basedOnLive) return { state: 'is_live' };
  const { rows } = await client.query<{ number: number; definition: VersionDefinition }>(
    `SELECT number, definition FROM event_version
     WHERE id = $1 AND event_id = $2 AND app_id = $3 AND kind = 'live'`,
    [versionId, eventId, actor.appId],
  );
  const [older] = rows;
  if (!older) return { state: 'not_found' };
  const rolledBackTo = older.number;
  const version = { eventId, definition: older.definition, kind: 'live', note } as const;
  const { id, number } = await insertVersion(client, actor, { ...version, rolledBackTo });
  await client.query(makeLiveInstead, [eventId, id, basedOnLive, actor.operatorId]);
  const change = { version: id, number, rolledBackTo };
  await writeAudit(client, actor, { action: 'event.rolled_back', subject: eventId, change });
  return { state: 'published', id, number };
}

const makeLive = 'UPDATE event SET live_version_id = $2, updated_at = now() WHERE id = $1';

/** A draft equal to the old live version is replaced too: publishing it would undo the change. Other drafts stay. */
const makeLiveInstead = `
UPDATE event e SET live_version_id = n.id, updated_at = now(),
  draft = CASE WHEN f.follows THEN n.definition ELSE e.draft END,
  draft_revision = e.draft_revision + f.follows::int,
  draft_saved_at = CASE WHEN f.follows THEN now() ELSE e.draft_saved_at END,
  draft_saved_by = CASE WHEN f.follows THEN $4::uuid ELSE e.draft_saved_by END
FROM event_version n, (
  SELECT d.id, d.draft IS NULL OR d.draft = w.definition AS follows
  FROM event d JOIN event_version w ON w.id = $3 WHERE d.id = $1) f
WHERE e.id = f.id AND n.id = $2`;

type LockedEvent = {
  draft: VersionDefinition | null;
  draftRevision: number;
  liveVersionId: string | null;
};

/** Locks the event's row, so that each version gets its own number. Test versions are numbered apart from live ones. */
async function lockEvent(
  client: Queryable,
  appId: string,
  eventId: string,
): Promise<LockedEvent | undefined> {
  const { rows } = await client.query<LockedEvent>(
    `SELECT draft, draft_revision AS "draftRevision", live_version_id AS "liveVersionId" FROM event
     WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL FOR UPDATE`,
    [eventId, appId],
  );
  return rows[0];
}

type NewVersion = {
  eventId: string;
  definition: VersionDefinition;
  kind: 'live' | 'test';
  note?: string | undefined;
  rolledBackTo?: number;
};

async function insertVersion(
  client: Queryable,
  { appId, operatorId }: ActorInApp,
  { eventId, definition, kind, note, rolledBackTo }: NewVersion,
): Promise<{ id: string; number: number }> {
  if (kind === 'live') await requireCategory(client, appId, definition.category);
  const id = newId();
  const { rows } = await client.query<{ number: number }>(
    `INSERT INTO event_version (id, event_id, app_id, number, kind, definition, note, created_by, rolled_back_to)
     SELECT $1, $2, $3, coalesce(max(number), 0) + 1, $4, $5, $6, $7, $8
     FROM event_version WHERE event_id = $2 AND kind = $4
     RETURNING number`,
    [id, eventId, appId, kind, JSON.stringify(definition), note, operatorId, rolledBackTo],
  );
  return { id, number: rows[0]?.number ?? 0 };
}
