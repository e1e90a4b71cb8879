import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { sqlStateOf } from '../transaction';
import { type Actor, changeWithAudit } from './audit';

export type AppIntegrationRow = {
  id: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  /** Sealed; see `integrationPlace`. */
  credentials: string;
  state: 'active' | 'needs_attention' | 'paused';
  stateReason: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Messages that wait for it, counted up to `countedTo`. */
  waiting: number;
};

export type NewAppIntegration = {
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  seal(id: string): string;
};

export type IntegrationChange = {
  id: string;
  /** As it was read: another value means that somebody saved in between. */
  updatedAt: Date;
  name: string;
  settings: Record<string, unknown>;
  credentials: string;
};

const maxListed = 500;
const countedTo = 1_000;

/** The integrations of an app. Every one is asked for with its app, so that no other app's is found. */
export function createAppIntegrations(pool: pg.Pool) {
  async function list(appId: string, id: string | null = null): Promise<AppIntegrationRow[]> {
    const { rows } = await pool.query<AppIntegrationRow>(
      `SELECT i.id, i.name, i.channel, i.provider, i.settings, i.credentials, i.state, i.state_reason AS "stateReason",
         i.created_at AS "createdAt", i.updated_at AS "updatedAt", w.waiting
       FROM integration i
       CROSS JOIN LATERAL (
         SELECT count(*)::int AS waiting FROM (
           SELECT 1 FROM message m
           WHERE m.channel = i.channel AND m.app_id = i.app_id AND m.due_at IS NOT NULL AND m.job_id IS NULL
             AND m.integration_id = i.id
           LIMIT ${countedTo}) c
       ) w
       WHERE i.app_id = $1 AND i.deleted_at IS NULL AND ($2::uuid IS NULL OR i.id = $2)
       ORDER BY i.name LIMIT ${maxListed}`,
      [appId, id],
    );
    return rows;
  }

  return {
    list: (appId: string) => list(appId),

    async find(appId: string, id: string): Promise<AppIntegrationRow | undefined> {
      return (await list(appId, id))[0];
    },

    /** Undefined when the name is taken. */
    async create(
      actor: Actor,
      appId: string,
      made: NewAppIntegration,
    ): Promise<string | undefined> {
      const id = newId();
      const { name, channel, provider, settings } = made;
      const entry = { action: 'integration.created', subject: id, change: { name, provider } };
      return unlessTaken(() =>
        changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
          await client.query(
            `INSERT INTO integration (id, app_id, name, channel, provider, settings, credentials)
             VALUES ($1, $2, $3, $4, $5, $6, $7)`,
            [id, appId, name, channel, provider, JSON.stringify(settings), made.seal(id)],
          );
          return id;
        }),
      );
    },

    /** New credentials end its need for attention: what waits is tried again. */
    async change(
      actor: Actor,
      appId: string,
      change: IntegrationChange,
    ): Promise<'changed' | 'stale' | 'taken'> {
      const { id, updatedAt, name, settings, credentials } = change;
      const entry = { action: 'integration.changed', subject: id, change: { name, settings } };
      let isTaken = true;
      const changed = await unlessTaken(async () => {
        const result = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
          const { rows } = await client.query(
            `UPDATE integration SET name = $4, settings = $5, credentials = $6, updated_at = greatest(now(), updated_at + interval '1 ms'),
               state = CASE WHEN state = 'needs_attention' THEN 'active' ELSE state END,
               state_reason = CASE WHEN state = 'needs_attention' THEN NULL ELSE state_reason END,
               probe_at = NULL
             WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL AND updated_at = $3
             RETURNING id, channel`,
            [id, appId, updatedAt, name, JSON.stringify(settings), credentials],
          );
          const [row] = rows;
          if (!row) return undefined;
          await client.query(wakeStatement, [id, row.channel, appId]);
          return row;
        });
        isTaken = false;
        return result;
      });
      if (changed) return 'changed';
      return isTaken ? 'taken' : 'stale';
    },

    async pause(actor: Actor, appId: string, id: string): Promise<boolean> {
      const entry = { action: 'integration.paused', subject: id };
      const paused = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
        const { rows } = await client.query(
          `UPDATE integration SET state = 'paused', state_reason = NULL, probe_at = NULL
           WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL AND state <> 'paused' RETURNING id`,
          [id, appId],
        );
        return rows[0];
      });
      return paused !== undefined;
    },

    async resume(actor: Actor, appId: string, id: string): Promise<boolean> {
      const entry = { action: 'integration.resumed', subject: id };
      const resumed = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
        const { rows } = await client.query<{ channel: string }>(
          `UPDATE integration SET state = 'active', state_reason = NULL, probe_at = NULL
           WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL AND state = 'paused' RETURNING channel`,
          [id, appId],
        );
        const [row] = rows;
        if (row) await client.query(wakeStatement, [id, row.channel, appId]);
        return row;
      });
      return resumed !== undefined;
    },

    /** `emptied` is sealed nothing, in place of the credentials. */
    async remove(
      actor: Actor,
      appId: string,
      { id, emptied }: { id: string; emptied: string },
    ): Promise<boolean> {
      const entry = { action: 'integration.removed', subject: id };
      const removed = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
        const { rows } = await client.query(
          `UPDATE integration SET deleted_at = now(), credentials = $3
           WHERE id = $1 AND app_id = $2 AND deleted_at IS NULL RETURNING id`,
          [id, appId, emptied],
        );
        return rows[0];
      });
      return removed !== undefined;
    },
  };
}

export type AppIntegrations = ReturnType<typeof createAppIntegrations>;

/** At most so many go on at once; the rest looks again by itself within seconds. */
const wokenAtOnce = 5_000;

const wakeStatement = `
UPDATE message SET due_at = now(), waits = NULL WHERE id IN (
  SELECT id FROM message
  WHERE channel = $2 AND app_id = $3 AND integration_id = $1 AND due_at IS NOT NULL AND job_id IS NULL
    AND state = 'queued' AND waits IN ('paused', 'needs_attention')
  LIMIT ${wokenAtOnce})`;

const uniqueViolation = '23505';

async function unlessTaken<T>(write: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (sqlStateOf(error) === uniqueViolation) return undefined;
    throw error;
  }
}
