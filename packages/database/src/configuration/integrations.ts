import { newId } from '@belfry/runtime';
import { type Actor, type ActorInApp, changeWithAudit, writeAudit } from '../audit';
import type { Queryable } from '../transaction';
import {
  clearHealth,
  type IntegrationHealth,
  type IntegrationRevision,
  joinHealth,
  selectHealth,
} from './integration-health';
import { buildChanges, nextRevision, recordTestResult, wakeMessages } from './integration-state';
import { unlessTaken } from './unless-taken';

export type AppIntegrationRow = IntegrationHealth & {
  id: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  /** Sealed; see `integrationPlace`. */
  credentials: string;
  /** When each credential was last entered, in Unix milliseconds. Empty for those from before Belfry stored it. */
  credentialChanges: Record<string, number>;
  state: 'active' | 'needs_attention' | 'paused';
  stateReason: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Queued messages. */
  waiting: number;
  /** There may be more: the count stopped at `countedTo`, or at `waitingRead` messages of the channel. */
  isWaitingCapped: boolean;
  pausedAt: Date | null;
  /** E-mail address of the operator. */
  pausedBy: string | null;
};

export type NewAppIntegration = {
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  seal(id: string): string;
  /** Names of the credentials. */
  entered?: readonly string[];
};

export type IntegrationChange = {
  id: string;
  /** The value that was read. Another stored value means that another operator saved in between. */
  updatedAt: Date;
  name: string;
  settings: Record<string, unknown>;
  credentials: string;
  /** The settings or credentials differ from the stored ones, so what is known about these does not count any more. */
  isUntested: boolean;
  /** Names of the credentials that the operator entered. */
  entered?: readonly string[];
};

export const maxIntegrationsListed = 500;
const countedTo = 1_000;
/** Messages of a channel that a count reads: of single sends, of bulks, and of those with a job. */
const waitingRead = 5_000;

/** The integrations of an app. Each query names the app, so that it never finds an integration of another app. */
export function createAppIntegrations(pool: Queryable) {
  return {
    list: (appId: string) => listIntegrations(pool, appId),

    async find(appId: string, id: string): Promise<AppIntegrationRow | undefined> {
      return (await listIntegrations(pool, appId, id))[0];
    },

    /** Finds at most one: names are unique. */
    findByName: (appId: string, name: string) => findByName(pool, appId, name),

    /** Undefined when the name is taken. */
    create: (actor: Actor, appId: string, integration: NewAppIntegration) =>
      createIntegration(pool, { ...actor, appId }, integration),

    /** A change ends the state `needs_attention`, and waiting messages are tried again. */
    change: (actor: Actor, appId: string, change: IntegrationChange) =>
      changeIntegration(pool, { ...actor, appId }, change),

    pause: (actor: Actor, appId: string, id: string) =>
      switchTo('paused', pool, { actor: { ...actor, appId }, id }),

    resume: (actor: Actor, appId: string, id: string) =>
      switchTo('active', pool, { actor: { ...actor, appId }, id }),

    /** `settings` are the ones that decide where the credentials are sent. `id` is absent for an unsaved integration. */
    recordTest: (
      actor: Actor,
      appId: string,
      {
        id,
        ...change
      }: Pick<NewAppIntegration, 'channel' | 'provider' | 'settings'> & {
        id?: string | undefined;
      },
    ) =>
      writeAudit(
        pool,
        { ...actor, appId },
        { action: 'integration.tested', subject: id ?? change.provider, change },
      ),

    recordTestResult: (
      actor: Actor,
      appId: string,
      revision: IntegrationRevision,
      result: { isWorking: boolean; detail: string },
    ) => recordTestResult(pool, { ...actor, appId }, revision, result),

    /** `emptied` is a sealed empty object that replaces the credentials. */
    remove: (actor: Actor, appId: string, removal: { id: string; emptied: string }) =>
      removeIntegration(pool, { ...actor, appId }, removal),
  };
}

export type AppIntegrations = ReturnType<typeof createAppIntegrations>;

async function listIntegrations(
  pool: Queryable,
  appId: string,
  id: string | null = null,
): Promise<AppIntegrationRow[]> {
  const { rows } = await pool.query<AppIntegrationRow>(
    `WITH w AS MATERIALIZED (${selectWaiting})
     SELECT i.id, i.name, i.channel, i.provider, i.settings, i.credentials, i.state, i.state_reason AS "stateReason",
       i.credential_changes AS "credentialChanges",
       i.created_at AS "createdAt", i.updated_at AS "updatedAt", least(queued.waiting, ${countedTo}) AS waiting,
       queued.is_cut OR queued.waiting > ${countedTo} AS "isWaitingCapped",
       CASE WHEN i.state = 'paused' THEN i.paused_at END AS "pausedAt", CASE WHEN i.state = 'paused' THEN o.email END AS "pausedBy",
       ${selectHealth}
     FROM integration i
     LEFT JOIN operator o ON o.id = i.paused_by
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(own), 0)::int AS waiting, coalesce(bool_or(read > ${waitingRead}), false) AS is_cut
       FROM (
         SELECT sum(waiting) FILTER (WHERE integration_id = i.id) AS own, sum(waiting) AS read
         FROM w WHERE channel = i.channel GROUP BY slice) s) queued
     ${joinHealth}
     WHERE i.app_id = $1 AND i.deleted_at IS NULL AND ($2::uuid IS NULL OR i.id = $2)
     ORDER BY i.name LIMIT ${maxIntegrationsListed}`,
    [appId, id],
  );
  return rows;
}

/**
 * Queued messages by channel, slice and integration. Reads a bounded number of messages of each channel, those that are due first, by the indexes
 * of waiting messages and of messages with a job; once for all integrations of the channel. With the bounds as columns,
 * PostgreSQL expects few rows and follows the index in order.
 */
const selectWaiting = `
  SELECT c.channel, m.slice, m.integration_id, count(*)::int AS waiting
  FROM (SELECT DISTINCT channel FROM integration
    WHERE app_id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR id = $2)) c
  CROSS JOIN LATERAL (
    SELECT s.slice, q.* FROM (VALUES
      (1, false, '-infinity'::timestamptz, 'infinity'::timestamptz), (2, true, '-infinity', 'infinity'))
      s (slice, is_bulk, after, until)
    CROSS JOIN LATERAL (
      SELECT integration_id FROM message
      WHERE channel = c.channel AND is_bulk = s.is_bulk AND app_id = $1
        AND waiting_at > s.after AND waiting_at < s.until AND state = 'queued'
      ORDER BY waiting_at LIMIT ${waitingRead + 1}) q
    UNION ALL
    (SELECT 3, integration_id FROM message
    WHERE channel = c.channel AND app_id = $1 AND has_job AND state = 'queued' LIMIT ${waitingRead + 1})
  ) m
  GROUP BY 1, 2, 3`;

async function findByName(
  pool: Queryable,
  appId: string,
  name: string,
): Promise<Pick<AppIntegrationRow, 'id' | 'channel'>[]> {
  const { rows } = await pool.query<Pick<AppIntegrationRow, 'id' | 'channel'>>(
    'SELECT id, channel FROM integration WHERE app_id = $1 AND name = $2 AND deleted_at IS NULL',
    [appId, name],
  );
  return rows;
}

async function removeIntegration(
  pool: Queryable,
  actor: ActorInApp,
  { id, emptied }: { id: string; emptied: string },
): Promise<boolean> {
  const entry = { action: 'integration.removed', subject: id };
  const removed = await changeWithAudit(pool, actor, entry, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `UPDATE integration SET deleted_at = now(), credentials = $3
       WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL RETURNING id`,
      [id, actor.appId, emptied],
    );
    return rows[0];
  });
  return removed !== undefined;
}

async function createIntegration(
  pool: Queryable,
  actor: ActorInApp,
  { name, channel, provider, settings, seal, entered = [] }: NewAppIntegration,
): Promise<string | undefined> {
  const id = newId();
  const entry = { action: 'integration.created', subject: id, change: { name, provider } };
  const result = await unlessTaken(() =>
    changeWithAudit(pool, actor, entry, (client) =>
      client.query(
        `INSERT INTO integration (id, app_id, name, channel, provider, settings, credentials, credential_changes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, ${buildChanges('$8')})`,
        [id, actor.appId, name, channel, provider, JSON.stringify(settings), seal(id), entered],
      ),
    ),
  );
  return result === 'taken' ? undefined : id;
}

async function changeIntegration(
  pool: Queryable,
  actor: ActorInApp,
  { id, updatedAt, name, settings, credentials, isUntested, entered = [] }: IntegrationChange,
): Promise<'changed' | 'stale' | 'taken'> {
  const enteredCredentials = entered.length > 0 ? { entered_credentials: entered } : {};
  const change = { name, settings, ...enteredCredentials };
  const createEntry = ({ channel: _, ...before }: OldIntegration) => {
    return { action: 'integration.changed', subject: id, change, before };
  };
  const changed = await unlessTaken(() =>
    changeWithAudit(pool, actor, createEntry, async (client) => {
      const { rows } = await client.query<OldIntegration>(changeStatement, [
        id,
        actor.appId,
        updatedAt,
        name,
        JSON.stringify(settings),
        credentials,
        entered,
      ]);
      const [row] = rows;
      if (row) {
        const { channel } = row;
        if (isUntested) await clearHealth(client, id);
        await wakeMessages(client, { channel, integrationId: id, appId: actor.appId });
      }
      return row;
    }),
  );
  if (changed === 'taken') return 'taken';
  return changed ? 'changed' : 'stale';
}

type OldIntegration = Pick<AppIntegrationRow, 'channel' | 'name' | 'settings'>;

const changeStatement = `
UPDATE integration i SET name = $4, settings = $5, credentials = $6,
  credential_changes = i.credential_changes || ${buildChanges('$7')},
  updated_at = ${nextRevision},
  state = CASE WHEN i.state = 'needs_attention' THEN 'active' ELSE i.state END,
  state_reason = CASE WHEN i.state = 'needs_attention' THEN NULL ELSE i.state_reason END,
  probe_at = NULL
FROM (
  SELECT id, channel, name, settings FROM integration
  WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL AND updated_at = $3 FOR UPDATE) old
WHERE i.id = old.id
RETURNING old.channel, old.name, old.settings`;

async function switchTo(
  state: 'paused' | 'active',
  pool: Queryable,
  { actor, id }: { actor: ActorInApp; id: string },
): Promise<boolean> {
  const action = state === 'paused' ? 'integration.paused' : 'integration.resumed';
  const switched = await changeWithAudit(pool, actor, { action, subject: id }, async (client) => {
    const { rows } = await client.query<{ channel: string }>(
      `UPDATE integration SET state = $3, state_reason = NULL, probe_at = NULL,
         paused_at = CASE WHEN $3 = 'paused' THEN now() END, paused_by = CASE WHEN $3 = 'paused' THEN $4::uuid END
       WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL AND (state = 'paused') <> ($3 = 'paused')
       RETURNING channel`,
      [id, actor.appId, state, actor.operatorId],
    );
    const [row] = rows;
    if (row && state === 'active') {
      await wakeMessages(client, { ...row, integrationId: id, appId: actor.appId });
    }
    return row;
  });
  return switched !== undefined;
}
