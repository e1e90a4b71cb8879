import { webhookTypeNames } from '@belfry/shared';
import {
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
  testSecrets,
} from '@belfry/testing';
import { createSystemActor } from '../audit';
import type { Database } from '../client';
import { inTransaction, type Queryable } from '../transaction';
import { createAccountApps } from './apps';
import {
  createWebhookEndpoints,
  maxWebhookEndpoints,
  openWebhookSecrets,
  type WebhookEndpoints,
} from './webhook-endpoints';

const secrets = testSecrets();
let database: Database;
let endpoints: WebhookEndpoints;
let tenant: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  endpoints = createWebhookEndpoints({ pool: database.lookUps, secrets });
});

beforeEach(async () => {
  tenant = await createFactories(database).createTenant();
});

afterAll(() => database.close());

const actor = () => ({ ...createSystemActor(tenant.accountId), appId: tenant.appId });
const change = <T>(work: (client: Queryable) => Promise<T>) =>
  inTransaction(database.lookUps, work);
const url = 'https://receiver.example/hooks/a-secret-path';

async function create() {
  const created = await change((client) =>
    endpoints.create(client, actor(), { url, types: ['message.sent'], description: 'Orders' }),
  );
  if (created === 'full') throw new Error('The app has too many endpoints');
  return created;
}

const readRow = (id: string) =>
  database.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
const readAudit = () =>
  database.prisma.auditEntry.findMany({
    where: { accountId: tenant.accountId, action: { startsWith: 'webhook.' } },
    orderBy: { id: 'asc' },
  });

test('a secret is stored sealed, and an audit entry has neither it nor the path of the URL', async () => {
  const { endpoint, secret } = await create();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const row = await readRow(endpoint.id);
  expect(JSON.stringify(row)).not.toContain(secret);
  expect(openWebhookSecrets(row, secrets)).toEqual([secret]);
  const audit = await readAudit();
  expect(audit).toMatchObject([
    {
      action: 'webhook.created',
      subject: endpoint.id,
      appId: tenant.appId,
      change: { host: 'receiver.example', types: ['message.sent'], description: 'Orders' },
    },
  ]);
  expect(JSON.stringify(audit)).not.toContain('secret-path');
});

test('a rotation keeps one previous secret for 24 hours', async () => {
  const first = await create();
  const { id } = first.endpoint;
  const second = await change((client) => endpoints.rotateSecret(client, actor(), id));
  const endsInMs = second!.endpoint.previousSecretEndsAt!.getTime() - Date.now();
  expect(endsInMs).toBeGreaterThan(23.9 * 3_600_000);
  expect(endsInMs).toBeLessThan(24.1 * 3_600_000);
  const third = await change((client) => endpoints.rotateSecret(client, actor(), id));
  expect(openWebhookSecrets(await readRow(id), secrets)).toEqual([third?.secret, second?.secret]);
  expect(new Set([first.secret, second?.secret, third?.secret]).size).toBe(3);
});

test('an app has at most 10 endpoints, also if many are created at once', async () => {
  const results = await Promise.all(
    Array.from({ length: maxWebhookEndpoints + 3 }, () =>
      change((client) =>
        endpoints.create(client, actor(), { url, types: webhookTypeNames, description: '' }),
      ),
    ),
  );
  expect(results.filter((result) => result === 'full')).toHaveLength(3);
  expect(await endpoints.list(tenant.appId)).toHaveLength(maxWebhookEndpoints);
});

test('a change keeps absent fields, and records what it changed', async () => {
  const { endpoint } = await create();
  const { id } = endpoint;
  const changed = await change((client) =>
    endpoints.change(client, actor(), { id, description: 'Refunds' }),
  );
  expect(changed).toMatchObject({ url, types: ['message.sent'], description: 'Refunds' });
  const [, entry] = await readAudit();
  expect(entry).toMatchObject({
    ...{ action: 'webhook.changed', subject: id },
    ...{ change: { description: 'Refunds' }, before: { description: 'Orders' } },
  });
});

test('enabling forgets the failures; disabling keeps an earlier reason', async () => {
  const { id } = (await create()).endpoint;
  const failing = { failuresInRow: 9, failingSince: new Date(), lastError: 'HTTP status 500.' };
  const disabled = { disabledAt: new Date(), disabledReason: 'gone', circuitOpenUntil: new Date() };
  await database.prisma.webhookEndpoint.update({
    where: { id },
    data: { ...failing, ...disabled },
  });
  const set = (isEnabled: boolean) =>
    change((client) => endpoints.change(client, actor(), { id, isEnabled }));
  expect(await set(false)).toMatchObject({ disabledReason: 'gone', lastError: 'HTTP status 500.' });
  expect(await set(true)).toMatchObject({ disabledAt: null, failingSince: null, lastError: null });
  expect(await readRow(id)).toMatchObject({ failuresInRow: 0, circuitOpenUntil: null });
  expect(await set(false)).toMatchObject({ disabledReason: 'manual' });
});

test('another app can neither find, change, rotate nor remove an endpoint', async () => {
  const { id } = (await create()).endpoint;
  const before = await readRow(id);
  const other = await createFactories(database).createTenant();
  const stranger = { ...createSystemActor(other.accountId), appId: other.appId };
  expect(await endpoints.find(other.appId, id)).toBeUndefined();
  expect(await endpoints.list(other.appId)).toEqual([]);
  const results = [
    await change((client) => endpoints.change(client, stranger, { id, description: 'x' })),
    await change((client) => endpoints.rotateSecret(client, stranger, id)),
    await change((client) => endpoints.remove(client, stranger, id)),
  ];
  expect(results).toEqual([undefined, undefined, false]);
  expect(await readRow(id)).toEqual(before);
});

test('the endpoints of a removed app are removed with it', async () => {
  await create();
  await createAccountApps(database.lookUps).remove(actor(), tenant.appId);
  expect(await endpoints.list(tenant.appId)).toEqual([]);
});
