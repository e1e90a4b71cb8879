import { randomBytes } from 'node:crypto';
import { newId, type Secrets } from '@belfry/runtime';
import type { WebhookEndpoint, WebhookType } from '@belfry/shared';
import { type ActorInApp, type NewAuditEntry, writeAudit } from '../audit';
import type { Queryable } from '../transaction';

/** Per app. The triggers write a row for each of them. */
export const maxWebhookEndpoints = 10;

/** How long the secret before a rotation signs too. */
const previousSecretHours = 24;

/** Standard Webhooks 1.0.0 allows 24 to 64. */
const secretBytes = 32;

export type NewWebhookEndpoint = { url: string; types: WebhookType[]; description: string };
/** A field that is left out stays as it is. */
export type WebhookEndpointChange = { id: string } & Partial<NewWebhookEndpoint> & {
    isEnabled?: boolean | undefined;
  };

export type WebhookEndpointsDeps = { pool: Queryable; secrets: Pick<Secrets, 'seal' | 'open'> };
export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>;

/** The place to which the signing secrets of an endpoint are sealed. */
export function webhookSecretsPlace(id: string): string {
  return `webhook_endpoint:${id}:secrets`;
}

/** The URLs that get webhooks of an app. Each change runs in the caller's transaction, with its audit entry. */
export function createWebhookEndpoints({ pool, secrets }: WebhookEndpointsDeps) {
  return {
    list: (appId: string) => listEndpoints(pool, appId),

    /** `client` reads within a transaction. */
    async find(
      appId: string,
      id: string,
      client: Queryable = pool,
    ): Promise<WebhookEndpoint | undefined> {
      return (await listEndpoints(client, appId, id))[0];
    },

    /** `full` if the app has `maxWebhookEndpoints`. */
    async create(
      client: Queryable,
      actor: ActorInApp,
      endpoint: NewWebhookEndpoint,
    ): Promise<EndpointWithSecret | 'full'> {
      const id = newId();
      const secret = createSecret();
      const sealed = sealSecrets(id, [secret], secrets);
      if (!(await insertEndpoint(client, actor, { ...endpoint, id, sealed }))) return 'full';
      const change = toAuditChange(endpoint);
      await writeAudit(client, actor, { action: 'webhook.created', subject: id, change });
      return { endpoint: await readChanged(client, actor, id), secret };
    },

    change: changeEndpoint,

    /** The old secret signs too for 24 hours. Undefined if the app has no such endpoint. */
    rotateSecret: (client: Queryable, actor: ActorInApp, id: string) =>
      rotateSecret(client, actor, { id, secrets }),

    remove: removeEndpoint,
  };
}

export type EndpointWithSecret = { endpoint: WebhookEndpoint; secret: string };

/** Undefined if the app has no such endpoint. */
async function changeEndpoint(
  client: Queryable,
  actor: ActorInApp,
  change: WebhookEndpointChange,
): Promise<WebhookEndpoint | undefined> {
  const { id, url, types, description, isEnabled } = change;
  const values = [id, actor.appId, url, types, description, isEnabled];
  const { rows } = await client.query<OldEndpoint>(changeStatement, values);
  const [old] = rows;
  if (!old) return undefined;
  await writeAudit(client, actor, createChangeEntry(change, old));
  return readChanged(client, actor, id);
}

async function rotateSecret(
  client: Queryable,
  actor: ActorInApp,
  { id, secrets }: Pick<WebhookEndpointsDeps, 'secrets'> & { id: string },
): Promise<EndpointWithSecret | undefined> {
  const { rows } = await client.query<{ secrets: string }>(
    'SELECT secrets FROM webhook_endpoint WHERE id = $1 AND app_id = $2 FOR UPDATE',
    [id, actor.appId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const secret = createSecret();
  const [previous = ''] = openWebhookSecrets({ id, secrets: row.secrets }, secrets);
  await client.query(
    `UPDATE webhook_endpoint SET secrets = $3, updated_at = now(),
       previous_secret_ends_at = now() + interval '${previousSecretHours} hours'
     WHERE id = $1 AND app_id = $2`,
    [id, actor.appId, sealSecrets(id, [secret, previous], secrets)],
  );
  await writeAudit(client, actor, { action: 'webhook.secret_rotated', subject: id });
  return { endpoint: await readChanged(client, actor, id), secret };
}

/** False if the app has no such endpoint. Its deliveries are not sent any more, and removed by age. */
async function removeEndpoint(client: Queryable, actor: ActorInApp, id: string): Promise<boolean> {
  const { rows } = await client.query<OldEndpoint>(
    `DELETE FROM webhook_endpoint WHERE id = $1 AND app_id = $2
     RETURNING url, types, description, disabled_at IS NULL AS "isEnabled"`,
    [id, actor.appId],
  );
  const [old] = rows;
  if (!old) return false;
  const before = toAuditChange(old);
  await writeAudit(client, actor, { action: 'webhook.removed', subject: id, before });
  return true;
}

function sealSecrets(id: string, texts: readonly string[], secrets: Pick<Secrets, 'seal'>): string {
  return secrets.seal(JSON.stringify(texts), webhookSecretsPlace(id));
}

/** The current secret first, then the one before the last rotation. */
export function openWebhookSecrets(
  { id, secrets: sealed }: { id: string; secrets: string },
  secrets: Pick<Secrets, 'open'>,
): string[] {
  // Safe cast: only this file seals this place.
  return JSON.parse(secrets.open(sealed, webhookSecretsPlace(id))) as string[];
}

function createSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** Locks the app's row while it counts the endpoints. */
async function insertEndpoint(
  client: Queryable,
  { appId }: ActorInApp,
  { id, url, types, description, sealed }: NewWebhookEndpoint & { id: string; sealed: string },
): Promise<boolean> {
  await client.query('SELECT 1 FROM app WHERE id = $1 FOR NO KEY UPDATE', [appId]);
  const { rowCount } = await client.query(
    `INSERT INTO webhook_endpoint (id, app_id, url, types, description, secrets)
     SELECT $1, $2, $3, $4, $5, $6
     WHERE (SELECT count(*) FROM webhook_endpoint WHERE app_id = $2) < ${maxWebhookEndpoints}`,
    [id, appId, url, types, description, sealed],
  );
  return rowCount === 1;
}

type OldEndpoint = NewWebhookEndpoint & { isEnabled: boolean };

// Enabling forgets earlier failures, so that the next delivery is tried at once.
const changeStatement = `
UPDATE webhook_endpoint e SET url = coalesce($3, e.url), types = coalesce($4, e.types), description = coalesce($5, e.description),
  disabled_at = CASE $6::boolean WHEN true THEN NULL WHEN false THEN coalesce(e.disabled_at, now()) ELSE e.disabled_at END,
  disabled_reason = CASE $6::boolean WHEN true THEN NULL WHEN false THEN coalesce(e.disabled_reason, 'manual') ELSE e.disabled_reason END,
  failures_in_row = CASE WHEN $6::boolean THEN 0 ELSE e.failures_in_row END,
  failing_since = CASE WHEN $6::boolean THEN NULL ELSE e.failing_since END,
  last_error = CASE WHEN $6::boolean THEN NULL ELSE e.last_error END,
  circuit_open_until = CASE WHEN $6::boolean THEN NULL ELSE e.circuit_open_until END,
  updated_at = now()
FROM (SELECT * FROM webhook_endpoint WHERE id = $1 AND app_id = $2 FOR UPDATE) old
WHERE e.id = old.id
RETURNING old.url, old.types, old.description, old.disabled_at IS NULL AS "isEnabled"`;

function createChangeEntry({ id, ...change }: WebhookEndpointChange, old: OldEndpoint) {
  const [changed, before] = [toAuditChange(change), toAuditChange(old)];
  const oldFields = Object.entries(before).filter(([name]) => Object.hasOwn(changed, name));
  const entry: NewAuditEntry = {
    ...{ action: 'webhook.changed', subject: id, change: changed },
    before: Object.fromEntries(oldFields),
  };
  return entry;
}

/** The path of a URL may contain a secret, so only the host is kept. */
function toAuditChange({
  url,
  types,
  description,
  isEnabled,
}: Omit<WebhookEndpointChange, 'id'>): Record<string, unknown> {
  return {
    ...(url !== undefined && { host: new URL(url).host }),
    ...(types !== undefined && { types }),
    ...(description !== undefined && { description }),
    ...(isEnabled !== undefined && { enabled: isEnabled }),
  };
}

async function readChanged(
  client: Queryable,
  { appId }: ActorInApp,
  id: string,
): Promise<WebhookEndpoint> {
  const [endpoint] = await listEndpoints(client, appId, id);
  if (!endpoint) throw new Error('The endpoint that was just written is missing');
  return endpoint;
}

async function listEndpoints(
  client: Queryable,
  appId: string,
  id: string | null = null,
): Promise<WebhookEndpoint[]> {
  const { rows } = await client.query<WebhookEndpoint>(
    `SELECT id, url, types, description, disabled_at AS "disabledAt", disabled_reason AS "disabledReason",
       failing_since AS "failingSince", last_error AS "lastError",
       CASE WHEN previous_secret_ends_at > now() THEN previous_secret_ends_at END AS "previousSecretEndsAt",
       created_at AS "createdAt", updated_at AS "updatedAt"
     FROM webhook_endpoint WHERE app_id = $1 AND ($2::uuid IS NULL OR id = $2) ORDER BY id LIMIT ${maxWebhookEndpoints}`,
    [appId, id],
  );
  return rows;
}
