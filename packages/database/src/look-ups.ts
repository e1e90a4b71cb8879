import type { Secrets } from '@belfry/runtime';
import { isUuid, type RecipientDevice, type VersionDefinition } from '@belfry/shared';
import type pg from 'pg';
import { textArray } from './array-parameters';

export type AppRow = {
  id: string;
  accountId: string;
  name: string;
  delivery: 'sandbox' | 'live';
  /** Whether the inbox counter can be read, and the inbox marked as opened, without a signature. */
  openInboxCounters: boolean;
  /** Whether readers of the inbox may sign in with a signature by an API key. */
  inboxSignature: boolean;
  /** The region of phone numbers without country code; see `AppDefaults` of the channels. */
  defaultRegion: string | null;
  /** The account has reached its storage limit; calls that would store more are refused. */
  isStorageFull: boolean;
};

export type ApiKeyRow = { id: string; accountId: string; secretHash: Buffer };

/** See `apiKeyPlace`. */
export type SealedApiKey = { id: string; sealed: string };

/** See `inboxSecretPlace`. The ID is the `kid` of tokens. */
export type SealedInboxSecret = { id: string; sealed: string };

export type EventRow = {
  id: string;
  appId: string;
  name: string;
  /** Undefined while the event is a draft. */
  liveVersionId: string | undefined;
};

export type VersionRow = { id: string; eventId: string; definition: VersionDefinition };

export type IntegrationRow = {
  id: string;
  appId: string;
  name: string;
  channel: string;
  provider: string;
  settings: Record<string, unknown>;
  /** Sealed JSON; see `integrationPlace`. */
  credentials: string;
  state: 'active' | 'needs_attention' | 'paused';
  updatedAt: Date;
};

export type UserRow = {
  id: string;
  userId: string;
  contact: Record<string, unknown>;
  /** Devices with a push token or a player id, newest first; disabled devices come last. */
  devices: RecipientDevice[];
};

/** The place to which the credentials of an integration are sealed. */
export function integrationPlace(integrationId: string): string {
  return `integration:${integrationId}:credentials`;
}

export function sealCredentials(
  integrationId: string,
  credentials: Record<string, unknown>,
  secrets: Pick<Secrets, 'seal'>,
): string {
  return secrets.seal(JSON.stringify(credentials), integrationPlace(integrationId));
}

/** The credentials of an integration in plain text. The provider's schema ensures that they are an object. */
export function openCredentials(
  { id, credentials }: Pick<IntegrationRow, 'id' | 'credentials'>,
  secrets: Pick<Secrets, 'open'>,
): Record<string, unknown> {
  return JSON.parse(secrets.open(credentials, integrationPlace(id)));
}

/** The place to which the Slack token of a request item is sealed. */
export function itemTokenPlace(requestId: string, item: number): string {
  return `request_item:${requestId}:${item}:slack.access_token`;
}

/** The place to which the Slack token of a stored user is sealed. */
export function userTokenPlace(userSid: string): string {
  return `app_user:${userSid}:slack.access_token`;
}

/** The place to which an API key is sealed, so that it can be shown again. */
export function apiKeyPlace(id: string): string {
  return `api_key:${id}`;
}

/** The place to which a secret that signs the tokens of inbox readers is sealed. */
export function inboxSecretPlace(id: string): string {
  return `inbox_secret:${id}`;
}

/** Two keys can be active at once; a few more may be about to expire. */
const maxKeysOfAccount = 10;
const maxListedIds = 100_000;

/** Look-ups of single rows. A look-up by id returns undefined when the id is not a UUID or has no row. */
export function createLookUps(pool: pg.Pool) {
  async function first<Row extends object>(query: Query): Promise<Row | undefined> {
    return (await pool.query<Row>(query)).rows[0];
  }

  return {
    async findApiKey(id: string): Promise<ApiKeyRow | undefined> {
      const row = await first<{ account_id: string; secret_hash: Buffer }>({
        name: 'find-api-key',
        text: `SELECT account_id, secret_hash FROM api_key WHERE id = $1 AND ${isKeyActive}`,
        values: [id],
      });
      return row && { id, accountId: row.account_id, secretHash: row.secret_hash };
    },

    /** The usable keys of the account, sealed. */
    async findSealedKeys(accountId: string): Promise<SealedApiKey[]> {
      const { rows } = await pool.query<SealedApiKey>({
        name: 'find-sealed-keys',
        text: `SELECT id, sealed FROM api_key WHERE account_id = $1 AND ${isKeyActive}
               ORDER BY created_at DESC LIMIT ${maxKeysOfAccount}`,
        values: [accountId],
      });
      return rows;
    },

    async findApp(id: string): Promise<AppRow | undefined> {
      if (!isUuid(id)) return undefined;
      return first<AppRow>({
        name: 'find-app',
        text: `SELECT a.id, a.account_id AS "accountId", a.name, a.delivery, a.open_inbox_counters AS "openInboxCounters",
                 a.inbox_signature AS "inboxSignature", a.default_region AS "defaultRegion",
                 c.is_storage_full AS "isStorageFull"
               FROM app a JOIN account c ON c.id = a.account_id WHERE a.id = $1 AND a.deleted_at IS NULL`,
        values: [id],
      });
    },

    async findEvent(appId: string, name: string): Promise<EventRow | undefined> {
      const row = await first<{ id: string; live_version_id: string | null }>({
        name: 'find-event',
        text: `SELECT id, live_version_id FROM event
               WHERE app_id = $1 AND name = $2 AND deleted_at IS NULL`,
        values: [appId, name],
      });
      return row && { id: row.id, appId, name, liveVersionId: row.live_version_id ?? undefined };
    },

    /** A definition is checked on publishing and never changes, nor does the provider of an integration. */
    async findVersion(id: string): Promise<VersionRow | undefined> {
      if (!isUuid(id)) return undefined;
      return first<VersionRow>({ name: 'find-version', text: findVersionStatement, values: [id] });
    },

    /** The provider's schema ensures that settings are an object; a constraint limits the states. */
    async findIntegration(id: string): Promise<IntegrationRow | undefined> {
      if (!isUuid(id)) return undefined;
      return first<IntegrationRow>({
        name: 'find-integration',
        text: `SELECT ${integrationColumns} FROM integration WHERE id = $1 AND deleted_at IS NULL`,
        values: [id],
      });
    },

    async findUser(appId: string, userId: string): Promise<UserRow | undefined> {
      return first<UserRow>({
        name: 'find-user',
        text: `SELECT ${userColumns} FROM app_user u WHERE app_id = $1 AND user_id = $2`,
        values: [appId, userId],
      });
    },

    /** The stored users among these, by `userId`. */
    async findUsers(appId: string, userIds: string[]): Promise<Map<string, UserRow>> {
      const { rows } = await pool.query<UserRow>({
        name: 'find-users',
        text: `SELECT ${userColumns} FROM app_user u WHERE app_id = $1 AND user_id = ANY ($2::text[])`,
        values: [appId, textArray(userIds)],
      });
      return new Map(rows.map((row) => [row.userId, row]));
    },
  };
}

export type LookUps = ReturnType<typeof createLookUps>;

/** The active inbox secrets of an app, sealed. */
export async function findSealedSecrets(
  pool: pg.Pool,
  appId: string,
): Promise<SealedInboxSecret[]> {
  const { rows } = await pool.query<SealedInboxSecret>({
    name: 'find-sealed-secrets',
    text: 'SELECT id, sealed FROM inbox_secret WHERE app_id = $1 AND revoked_at IS NULL',
    values: [appId],
  });
  return rows;
}

/** The ids of usable API keys and apps: the newest `maxListedIds`. */
export function createIdLists(pool: pg.Pool) {
  /** As one text: 100,000 rows would block the event loop. */
  async function readIds(table: 'api_key' | 'app', condition: string): Promise<string[]> {
    const { rows } = await pool.query<{ ids: string | null }>({
      name: `read-${table}-ids`,
      text: `SELECT string_agg(id::text, ' ') AS ids FROM (
        SELECT id FROM ${table} WHERE ${condition} ORDER BY created_at DESC LIMIT ${maxListedIds}) newest`,
    });
    return rows[0]?.ids?.split(' ') ?? [];
  }

  return {
    readApiKeyIds: () => readIds('api_key', isKeyActive),
    readAppIds: () => readIds('app', 'deleted_at IS NULL'),
  };
}

export type IdLists = ReturnType<typeof createIdLists>;

type Query = { name: string; text: string; values: unknown[] };

/** The columns of an IntegrationRow. */
export const integrationColumns =
  'id, app_id AS "appId", name, channel, provider, settings, credentials, state, updated_at AS "updatedAt"';

/** With the provider of each integration of push. Removed integrations are included: a chain may still name them. */
const findVersionStatement = `
SELECT v.id, v.event_id AS "eventId", CASE WHEN p.providers IS NULL THEN v.definition
  ELSE jsonb_set(v.definition, '{channels,push,providers}', p.providers) END AS definition
FROM event_version v
LEFT JOIN LATERAL (
  SELECT jsonb_object_agg(i.id, i.provider) AS providers FROM integration i
  WHERE v.definition #> '{channels,push}' IS NOT NULL AND i.app_id = v.app_id AND i.channel = 'push'
    AND v.definition #> '{channels,push,integrationIds}' ? i.id::text
) p ON true
WHERE v.id = $1`;

/** Equals the maximum number of tokens in a call. */
const maxDevicesOfUser = 100;
const isKeyActive = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())';
/** The column default and the schema of the route ensure that `contact` is an object. */
const userColumns = `u.id, u.user_id AS "userId", u.contact, coalesce((
  SELECT json_agg(json_strip_nulls(json_build_object('id', d.id, 'token', d.fcm_token,
    'onesignalPlayerId', d.fields ->> 'onesignal_player_id', 'disabled',
    CASE WHEN d.notifications_disabled THEN CASE WHEN d.disabled_reason IS NULL THEN 'by_client' ELSE 'by_provider' END END)))
  FROM (SELECT * FROM device WHERE user_sid = u.id AND (fcm_token IS NOT NULL OR fields ? 'onesignal_player_id')
    ORDER BY notifications_disabled, id DESC LIMIT ${maxDevicesOfUser}) d
), '[]') AS devices`;
