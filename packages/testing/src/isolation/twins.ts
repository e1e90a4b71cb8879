import { createHash, randomBytes } from 'node:crypto';
import { type Database, inboxSecretPlace } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant, testSecrets } from '../factories';
import { createAlertRows } from './twin-alerts';
import {
  type Configured,
  type Insert,
  naturalKeys,
  type Seed,
  type TwinOptions,
} from './twin-seed';
import { createWebhookRows } from './twin-webhooks';

/** An app with one row in every table, and the values by which callers name these, by type. */
export type Twin = { tenant: Tenant; values: Record<TwinKey, string> };
export type TwinKey = keyof ReturnType<typeof createRows>;

/**
 * Fills an app and its account with one row in every table, so that every route finds something. The rows are inserted
 * directly: a test creates hundreds of twins, and the product's own routes would take minutes.
 */
export async function createTwin(
  { lookUps }: Pick<Database, 'lookUps'>,
  tenant: Tenant,
  options: TwinOptions,
): Promise<Twin> {
  const inserts: string[] = [];
  const parameters: unknown[] = [];
  const insert: Insert = (table, row) => {
    const names = Object.keys(row).map((name) => `"${name}"`);
    const places = Object.values(row).map((value) => `$${parameters.push(value)}`);
    inserts.push(`INSERT INTO "${table}" (${names.join(', ')}) VALUES (${places.join(', ')})`);
  };
  const values = createRows({ ...options, insert, tenant, keys: naturalKeys(options.word) });
  // One statement, as a round trip for each row takes most of the time.
  const parts = inserts.map((text, index) => `row_${index} AS (${text})`);
  await lookUps.query(`WITH ${parts.join(', ')} SELECT`, parameters);
  return { tenant, values };
}

function createRows(seed: Seed) {
  const { accountId, apiKeyId, appId } = seed.tenant;
  const configuration = createConfigurationRows(seed);
  const people = createPeopleRows(seed);
  const sent = createSentRows(seed, configuration);
  const alertRuleId = createAlertRows(seed, configuration);
  const keptIds = createKeptRows(seed, sent);
  const webhooks = createWebhookRows(seed, sent);
  const account = seed.hasAccountRows === false ? noAccountRows : createAccountRows(seed);
  const ids = {
    accountId,
    apiKeyId,
    appId,
    ...configuration,
    ...people,
    ...sent,
    ...keptIds,
    ...webhooks,
    alertRuleId,
  };
  return { ...seed.keys, ...ids, ...account };
}

function createConfigurationRows({ tenant, keys, mark, insert, pausedChannel = 'telegram' }: Seed) {
  const app_id = tenant.appId;
  const [integrationId, eventId, versionId] = [newId(), newId(), newId()];
  const channels = {
    email: channelVersion({ subject: mark, text: mark }, { integrationIds: [integrationId] }),
    push: channelVersion({ title: mark, body: mark }),
    in_app: channelVersion({ title: mark, body: mark }),
  };
  const definition = { defaultLocale: 'en', missing: 'empty', isSensitive: false, channels };
  insert('integration', {
    ...{ id: integrationId, app_id, name: keys.integrationName, state_reason: mark },
    ...{ channel: 'email', provider: 'smtp', settings: { reply_to: mark } },
    credentials: testSecrets().seal('{}', `integration:${integrationId}:credentials`),
  });
  const event = { id: eventId, app_id, name: keys.eventName, live_version_id: versionId };
  insert('event', event);
  insert('integration_health', {
    integration_id: integrationId,
    failures_in_row: 1,
    last_error: mark,
  });
  insert('integration_count', {
    integration_id: integrationId,
    at: new Date(),
    succeeded: 1,
    failed: 1,
  });
  const version = { id: versionId, event_id: eventId, app_id, number: 1, kind: 'live', definition };
  insert('event_version', version);
  insert('category', {
    app_id,
    slug: keys.categorySlug,
    texts: { en: { name: mark, description: '' } },
  });
  insert('channel_pause', { app_id, channel: pausedChannel });
  insert('sending_pause', { app_id });
  return { integrationId, eventId, versionId };
}

function createPeopleRows({ tenant, keys, mark, insert }: Seed) {
  const app_id = tenant.appId;
  const [userSid, deviceSid, suppressionId] = [newId(), newId(), newId()];
  const { userId, email, mobile, token, clientId } = keys;
  // The trigger writes the user's row of user_opt_out.
  const preferences = { channel_preferences: { sms: { disabled: true } } };
  const contact = { email, mobile, onesignal_external_id: mark, preferences };
  insert('app_user', { id: userSid, app_id, user_id: userId, contact });
  insert('device', {
    ...{ id: deviceSid, app_id, user_sid: userSid, client_id: clientId, fcm_token: token },
    fields: { model: mark },
  });
  insert('suppression', {
    ...{ id: suppressionId, app_id, channel: 'email', recipient: email, reason: 'manual' },
    detail: mark,
  });
  insert('reply', {
    ...{ app_id, subject: randomBytes(32), wish: 'stop', replied_at: new Date() },
    identities: [randomBytes(32)],
  });
  const erasure = { id: newId(), app_id, user_sid: newId(), messages: 1, finished_at: new Date() };
  insert('erasure', erasure);
  return { userSid, deviceSid, suppressionId };
}

/** One request with a message for each channel, and all dependent rows. */
function createSentRows({ tenant, keys, mark, insert }: Seed, configured: Configured) {
  const { accountId: account_id, appId: app_id, apiKeyId: api_key_id } = tenant;
  const { integrationId: integration_id, eventId: event_id, versionId: version_id } = configured;
  const { idempotencyKey, userId, email, token, providerMessageId } = keys;
  const [requestId, messageId, pushMessageId] = [newId(), newId(), newId()];
  const [captureId, inboxMessageId] = [newId(), newId()];
  insert('request', {
    ...{ id: requestId, account_id, app_id, event_id, version_id, api_key_id },
    ...{ kind: 'single', items: 1, planned_items: 1, planned_to: 1 },
    idempotency_key: idempotencyKey,
  });
  insert('request_item', {
    ...{ request_id: requestId, item: 0, data: JSON.stringify({ mark }) },
    recipient: JSON.stringify({ user_id: userId, email }),
    skips: { sms: { reason: 'no_address' } },
    ...createTexts(keys, (text) =>
      insert('request_term', { app_id, term: hashTerm(text), request_id: requestId }),
    ),
  });
  const [now, expires_at] = [new Date(), new Date(Date.now() + dayMs)];
  const message = { request_id: requestId, item: 0, app_id, attempts: 1, expires_at };
  const failed = { state: 'failed', reason: 'rejected_content', settled_at: now, integration_id };
  insert('message', {
    ...message,
    id: messageId,
    channel: 'email',
    target: email,
    ...failed,
  });
  const waiting = { state: 'queued', due_at: now, target: token };
  insert('message', { ...message, id: pushMessageId, channel: 'push', ...waiting });
  const deliveredState = { state: 'delivered', target: userId };
  insert('message', { ...message, id: inboxMessageId, channel: 'in_app', ...deliveredState });
  insert('attempt', {
    ...{ message_id: messageId, number: 1, integration_id, provider: 'smtp', closed_at: now },
    ...{ outcome: 'rejected_content', detail: mark, provider_message_id: providerMessageId },
    request: JSON.stringify({ mark }),
  });
  insert('receipt', {
    ...{ id: newId(), app_id, integration_id, message_id: messageId, state: 'sent' },
    ...{ detail: mark, body: mark },
  });
  insert('capture', {
    ...{
      id: captureId,
      app_id,
      message_id: messageId,
      attempt: 1,
      channel: 'email',
      target: email,
    },
    ...{ provider: 'smtp', outcome: 'accepted', content: { text: mark }, request: { mark } },
  });
  return { requestId, messageId, pushMessageId, captureId, inboxMessageId };
}

/** The texts of an item by which its request is found, each with its term. */
function createTexts(
  { metadata, cancelKey }: Seed['keys'],
  addTerm: (text: string) => void,
): { metadata: string; cancel_key: string } {
  const [key = '', value] = metadata.split(':');
  addTerm(`metadata:${metadata}`);
  addTerm(`cancel_key:${cancelKey}`);
  return { metadata: JSON.stringify({ [key]: value }), cancel_key: cancelKey };
}

/** See packages/database/src/request-term.ts. */
function hashTerm(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

const halfMinuteMs = 30_000;
const dayMs = 24 * 60 * 60_000;

function createKeptRows(
  { tenant, keys: { userId: user_id, filterName }, mark, insert }: Seed,
  { messageId, inboxMessageId }: { messageId: string; inboxMessageId: string },
) {
  const app_id = tenant.appId;
  const [filterId, resendId] = [newId(), newId()];
  const content = { title: mark, body: mark };
  // A trigger would create the reader with the item. PostgreSQL runs later parts of the statement first.
  insert('inbox_item', { id: newId(), app_id, user_id, message_id: inboxMessageId, content });
  insert('inbox_reader', { app_id, user_id, last_opened_at: new Date(0) });
  const inboxSecretId = newId();
  insert('inbox_secret', { id: inboxSecretId, app_id, sealed: sealSecret(inboxSecretId) });
  const filters = { event: mark };
  insert('saved_filter', { id: filterId, app_id, name: filterName, filters });
  insert('resend', {
    ...{ id: resendId, app_id, filter: filters, matched: 1, resent: 1, finished_at: new Date() },
  });
  insert('resend_message', {
    ...{ resend_id: resendId, message_id: messageId, state: 'failed', outcome: 'resent' },
    new_message_id: messageId,
  });
  // The dashboard counts rates by half minutes; none of these ends during a test.
  const at = new Date((Math.floor(Date.now() / halfMinuteMs) - 10) * halfMinuteMs);
  insert('delivery_count', { app_id, channel: 'email', at, accepted: 1 });
  const counts = { sent: 1, waiting: 0, delivered: 0, read: 0, failed: 0, skipped: 0, unknown: 0 };
  insert('message_minute', { app_id, channel: 'email', minute: at, ...counts });
  return { filterId, resendId, inboxSecretId };
}

/** The inbox secret of a twin is its ID. */
function sealSecret(id: string): string {
  return testSecrets().seal(id, inboxSecretPlace(id));
}

const noAccountRows = { operatorId: '', sessionId: '', invitationId: '', auditId: '' };

/** Types of values that an operator of the account may name in any of its apps. */
export const accountKeys: ReadonlySet<string> = new Set<TwinKey>([
  'accountId',
  'appId',
  'apiKeyId',
  'operatorEmail',
  'operatorId',
  'sessionId',
  'invitationId',
  'auditId',
]);

function createAccountRows({ tenant, keys, mark, insert }: Seed) {
  const { accountId: account_id, appId: app_id } = tenant;
  const [operatorId, auditId] = [newId(), newId()];
  const [sessionHash, invitationHash] = [randomBytes(32), randomBytes(32)];
  const { operatorEmail: email, idempotencyKey } = keys;
  const expires_at = new Date(Date.now() + dayMs);
  insert('operator', {
    id: operatorId,
    account_id,
    email,
    password_hash: '',
    role: 'viewer',
  });
  insert('operator_session', {
    token_hash: sessionHash,
    operator_id: operatorId,
    expires_at,
  });
  insert('operator_totp', {
    ...{ operator_id: operatorId, secret: mark, confirmed_at: new Date(), last_step: 1 },
    recovery_codes: [randomBytes(32)],
  });
  const invited = { kind: 'invite', email: `new-${email}`, role: 'viewer', expires_at };
  insert('invitation', { token_hash: invitationHash, account_id, ...invited });
  insert('audit_entry', {
    ...{ id: auditId, account_id, operator_id: operatorId, app_id, action: 'app.changed' },
    ...{ subject: app_id, change: { name: mark } },
  });
  insert('idempotency_key', {
    ...{ account_id, fingerprint: randomBytes(32), ring_key_id: 'test', status: 200 },
    key_hash: createHash('sha256').update(`${account_id}:${idempotencyKey}`).digest(),
    request_id: newId(),
  });
  return {
    ...{ operatorId, auditId, sessionId: sessionHash.toString('hex') },
    invitationId: invitationHash.toString('hex'),
  };
}
