import { newId, type Secrets } from '@belfry/runtime';
import type pg from 'pg';
import type { Actor } from './audit';
import type { NewIntegration } from './configuration';
import {
  audited,
  createStateChanges,
  type IntegrationState,
  letGoOnOwn,
  type Place,
} from './integration-states';
import { integrationPlace, isUuid } from './look-ups';
import { sqlStateOf } from './transaction';

export type AppIntegration = {
  id: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  state: IntegrationState;
  stateReason: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** With what is sealed, opened: for the server alone. */
export type OpenIntegration = AppIntegration & { credentials: Record<string, unknown> };

/** Where an integration stands in the chain of an event's channel. */
export type IntegrationUse = {
  integrationId: string;
  eventId: string;
  eventName: string;
  channel: string;
  where: 'live' | 'draft';
  /** The chain has no other integration: without it the channel sends nothing. */
  isOnly: boolean;
};

export type IntegrationChange = {
  name: string;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
};

const uniqueViolation = '23505';
const maxListed = 1_000;

/** An app's integrations, as operators handle them. Each change is the actor's, whose account has the app. */
export function createAppIntegrations(pool: pg.Pool, secrets: Secrets) {
  return {
    async listIntegrations(appId: string): Promise<AppIntegration[]> {
      const { rows } = await pool.query<AppIntegration>(
        `SELECT ${columns} FROM integration WHERE app_id = $1 AND deleted_at IS NULL
         ORDER BY channel, name LIMIT ${maxListed}`,
        [appId],
      );
      return rows;
    },

    async findOpenIntegration({ appId, id }: Place): Promise<OpenIntegration | undefined> {
      if (!isUuid(id)) return undefined;
      const { rows } = await pool.query<AppIntegration & { credentials: string }>(
        `SELECT ${columns}, credentials FROM integration
         WHERE app_id = $1 AND id = $2 AND deleted_at IS NULL`,
        [appId, id],
      );
      const [row] = rows;
      if (!row) return undefined;
      const opened = secrets.open(row.credentials, integrationPlace(id));
      return { ...row, credentials: JSON.parse(opened) };
    },

    listUses: (appId: string) => listUses(pool, appId),

    /** Undefined when the name is taken. */
    async addIntegration(actor: Actor, integration: NewIntegration): Promise<string | undefined> {
      const { appId, name, channel, provider, settings, credentials } = integration;
      const id = newId();
      const sealed = secrets.seal(JSON.stringify(credentials), integrationPlace(id));
      return orTaken(async () =>
        audited({ pool, actor, appId, id, action: 'integration.create' }, async (client) => {
          await client.query(
            `INSERT INTO integration (id, app_id, name, channel, provider, settings, credentials)
             VALUES ($1, $2, $3, $4, $5, $6, $7)`,
            [id, appId, name, channel, provider, settings, sealed],
          );
          return { name, channel, provider, settings };
        }),
      );
    },

    /** What needed attention is tried again with the new settings. Undefined when the name is taken. */
    async changeIntegration(actor: Actor, place: Place, change: IntegrationChange) {
      const { appId, id } = place;
      const { name, settings, credentials } = change;
      const sealed = secrets.seal(JSON.stringify(credentials), integrationPlace(id));
      return orTaken(async () =>
        audited({ pool, actor, appId, id, action: 'integration.change' }, async (client) => {
          await client.query(
            `UPDATE integration SET name = $3, settings = $4, credentials = $5,
               updated_at = greatest(now(), updated_at + interval '1 ms')
             WHERE app_id = $1 AND id = $2 AND deleted_at IS NULL`,
            [appId, id, name, settings, sealed],
          );
          await letGoOnOwn(client, place, 'needs_attention');
          return { name, settings };
        }),
      );
    },
    ...createStateChanges(pool),
  };
}

export type AppIntegrations = ReturnType<typeof createAppIntegrations>;

const columns = `id, name, channel, provider, settings, state, state_reason AS "stateReason",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

async function orTaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (sqlStateOf(error) === uniqueViolation) return undefined;
    throw error;
  }
}

async function listUses(pool: pg.Pool, appId: string): Promise<IntegrationUse[]> {
  const { rows } = await pool.query<IntegrationUse>(
    `SELECT link.id AS "integrationId", d.event_id AS "eventId", d.name AS "eventName", c.key AS channel,
       d.place AS "where", NOT EXISTS (
         SELECT 1 FROM jsonb_array_elements_text(c.value -> 'integrationIds') other
         JOIN integration i ON i.id::text = other AND i.app_id = $1 AND i.deleted_at IS NULL
         WHERE other <> link.id
       ) AS "isOnly"
     FROM (
       SELECT e.id AS event_id, e.name, 'live' AS place, v.definition
       FROM event e JOIN event_version v ON v.id = e.live_version_id
       WHERE e.app_id = $1 AND e.deleted_at IS NULL
       UNION ALL
       SELECT e.id, e.name, 'draft', e.draft FROM event e
       WHERE e.app_id = $1 AND e.deleted_at IS NULL AND e.draft IS NOT NULL
     ) d,
     jsonb_each(d.definition -> 'channels') c,
     jsonb_array_elements_text(c.value -> 'integrationIds') AS link (id)
     ORDER BY d.name, c.key, d.place LIMIT ${maxListed * 10}`,
    [appId],
  );
  return rows;
}
