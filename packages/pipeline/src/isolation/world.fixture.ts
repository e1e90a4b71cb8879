import { createHash } from 'node:crypto';
import {
  createAccess,
  createAccountApps,
  createLookUps,
  createSystemActor,
  type Database,
  type IntegrationRevision,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { defaultPolicy, type VersionDefinition } from '@belfry/shared';
import {
  createFactories,
  type Factories,
  openDatabase,
  ownDatabase,
  testSecrets,
} from '@belfry/testing';
import pg from 'pg';
import type { ItemPlan, NewMessage } from '../accept/item-plan';
import { writeRequests } from '../accept/write';
import type { NewRequest } from '../accept/write.sql';
import { prepareDatabase, readTables } from './twins.fixture';
import { type WatchReport, watchStatements } from './watch.fixture';

/** The only account of its own database, with rows for every statement. */
export type World = {
  database: Database;
  watched: WatchReport;
  url: string;
  /** Runs unwatched SQL, for changes that otherwise only time makes. */
  alter(text: string, values?: unknown[]): Promise<void>;
  secrets: ReturnType<typeof testSecrets>;
  accountId: string;
  operatorId: string;
  appId: string;
  actor: { accountId: string; operatorId: string };
  /** A live event with e-mail, SMS and push by the two integrations. */
  event: { eventId: string; versionId: string };
  integrations: [string, string];
  close(): Promise<void>;
};

export const person = { userId: 'ana', email: 'ana@example.com', token: '+4520000001' };
export const owner = 'owner@example.com';

export async function createWorld(): Promise<World> {
  const { url, drop } = await ownDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  await prepareDatabase(pool);
  const database = openDatabase({ url, poolSize: 8 });
  const anchors = new Map<string, number>();
  const watched = watchStatements(database, await readTables(pool), (id) => anchors.get(id) ?? 0);
  const operator = await createFirstOperator(database);
  const { accountId } = operator;
  const appId = await createAccountApps(database.lookUps).create(createSystemActor(accountId), {
    name: 'App',
    delivery: 'live',
  });
  anchors.set(accountId, 2).set(appId, 1);
  const factories = createFactories(database);
  const app = { accountId, appId };
  const integrations: [string, string] = [
    await createMail(factories, app, 'First'),
    await createMail(factories, app, 'Second'),
  ];
  const { channels, ...rest } = createDefinition(integrations);
  const event = await factories.createEvent(app, channels, { name: 'order_shipped', ...rest });
  return {
    database,
    watched,
    url,
    alter: async (text, values) => {
      await pool.query(text, values);
    },
    secrets: testSecrets(),
    accountId: operator.accountId,
    operatorId: operator.id,
    appId,
    actor: { accountId: operator.accountId, operatorId: operator.id },
    event: { eventId: event.eventId, versionId: event.versionId },
    integrations,
    async close() {
      await database.close();
      await pool.end();
      await drop();
    },
  };
}

/** Creates the first operator, and with it the account. */
async function createFirstOperator(database: Database) {
  const access = createAccess(database.accepting);
  await access.ensureOperator({ email: owner, passwordHash: 'hash' });
  const [operator] = await access.listOperators(owner);
  if (!operator) throw new Error('The first operator was not created');
  return operator;
}

async function createMail(
  factories: Factories,
  app: { accountId: string; appId: string },
  name: string,
): Promise<string> {
  const settings = { sender: '+15005550006', team_id: 'T1', app_id: 'A1', bot_user_id: 'U1' };
  const integration = { name, channel: 'email', provider: 'slack', settings };
  return (await factories.createIntegration(app, { ...integration, credentials: { user: 'a' } }))
    .id;
}

export async function readRevision(
  { database }: World,
  integrationId: string,
): Promise<IntegrationRevision> {
  const row = await createLookUps(database.lookUps).findIntegration(integrationId);
  if (!row) throw new Error('The integration was not found');
  return { integrationId, updatedAt: row.updatedAt };
}

export function createDefinition(integrationIds: string[], isSensitive = false): VersionDefinition {
  const channel = (template: object) => ({
    integrationIds,
    templates: { en: template },
    policy: defaultPolicy,
  });
  return {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive,
    channels: {
      email: channel({ subject: 'Hello' }),
      push: channel({ title: 'Hello' }),
      sms: channel({ text: 'Hello' }),
    },
  };
}

export type SendOptions = {
  key?: string;
  channel?: string;
  target?: string;
  /** The number of items that fan-out still has to plan. */
  unplanned?: number;
  data?: string;
  userId?: string;
  skips?: ItemPlan['skips'];
  metadata?: string;
  cancelKey?: string;
  message?: Partial<NewMessage>;
};

export type SentRequest = { requestId: string; messageId: string; call: NewRequest };

/** Sends a request with one message, or with unplanned items. */
export async function send(world: World, options: SendOptions = {}): Promise<SentRequest> {
  const { key, unplanned = 0 } = options;
  const [requestId, messageId] = [newId(), newId()];
  const call: NewRequest = {
    request: {
      id: requestId,
      accountId: world.accountId,
      appId: world.appId,
      ...world.event,
      kind: unplanned > 0 ? 'bulk' : 'single',
      apiKeyId: undefined,
      idempotencyKey: key,
    },
    key: key === undefined ? undefined : createKey(key),
    items:
      unplanned > 0
        ? Array.from({ length: unplanned }, () => createItem(options, undefined))
        : [createItem(options, messageId)],
  };
  await writeRequests(world.database.accepting, [call]);
  return { requestId, messageId, call };
}

/** Sets whether the published version is sensitive. */
export function setSensitive({ alter, event }: World, isSensitive: boolean): Promise<void> {
  const definition = `jsonb_set(definition, '{isSensitive}', '${isSensitive}')`;
  return alter(`UPDATE event_version SET definition = ${definition} WHERE id = $1`, [
    event.versionId,
  ]);
}

export function createKey(key: string) {
  const hash = createHash('sha256').update(key).digest();
  return { hash, fingerprint: Buffer.from('fingerprint'), ringKeyId: 'test', status: 200 };
}

function createItem(
  { channel = 'email', target = person.email, userId = person.userId, ...rest }: SendOptions,
  messageId: string | undefined,
): NewRequest['items'][number] {
  const { data, metadata, cancelKey, message, skips = {} } = rest;
  const texts = { override: undefined, data, metadata, cancelKey };
  const common = { locale: undefined, scheduleAt: undefined, ...texts };
  const recipient = JSON.stringify({ user_id: userId, email: person.email });
  if (messageId === undefined) return { ...common, recipient, plan: undefined };
  return {
    ...common,
    recipient,
    plan: {
      locale: undefined,
      skips,
      messages: [{ ...newMessage(messageId), channel, target, ...message }],
    },
  };
}

export function newMessage(id: string): NewMessage {
  return {
    id,
    channel: 'email',
    target: person.email,
    integrationId: undefined,
    dueAt: undefined,
    timeToLiveMs: 600_000,
    jobId: undefined,
    note: undefined,
  };
}

export function createCall({ accountId }: World, key?: string) {
  return { callId: newId(), accountId, key: key === undefined ? undefined : createKey(key) };
}

/** A worker's claim of these messages. */
export function claim(ids: string[]) {
  return { ids, worker: 'worker', leaseMs: 20_000 };
}

/** Makes a message one that may have been sent: its attempt ended without an answer. */
export async function doubt({ alter }: World, messageId: string): Promise<void> {
  await alter('UPDATE message SET unknown_count = 1, attempts = 1 WHERE id = $1', [messageId]);
  await alter(`INSERT INTO attempt (message_id, number, outcome) VALUES ($1, 1, 'unknown')`, [
    messageId,
  ]);
}
