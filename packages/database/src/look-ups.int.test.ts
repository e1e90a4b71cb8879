import { newId } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import type { Database } from './client';
import { createIdLists, createLookUps, type LookUps } from './look-ups';

let database: Database;
let factories: Factories;
let lookUps: LookUps;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 2 });
  factories = createFactories(database);
  lookUps = createLookUps(database.lookUps);
});

afterAll(() => database.close());

async function createUser({ appId }: Tenant, userId: string, email: string): Promise<void> {
  await database.prisma.user.create({ data: { id: newId(), appId, userId, contact: { email } } });
}

const createTenants = () => Promise.all([factories.createTenant(), factories.createTenant()]);

describe('an app does not find what has the same name in another app:', () => {
  test('a stored user', async () => {
    const [own, other] = await createTenants();
    const userId = newId();
    await createUser(other, userId, 'theirs@example.com');
    expect(await lookUps.findUser(own.appId, userId)).toBeUndefined();
    expect(await lookUps.findUsers(own.appId, [userId])).toEqual(new Map());
    await createUser(own, userId, 'own@example.com');
    const contact = { email: 'own@example.com' };
    expect(await lookUps.findUser(own.appId, userId)).toMatchObject({ contact });
    expect([...(await lookUps.findUsers(own.appId, [userId])).values()]).toMatchObject([
      { userId, contact },
    ]);
  });

  test('an event', async () => {
    const [own, other] = await createTenants();
    const { name } = await factories.createEvent(other, {});
    expect(await lookUps.findEvent(own.appId, name)).toBeUndefined();
    const { eventId } = await factories.createEvent(own, {}, { name });
    expect(await lookUps.findEvent(own.appId, name)).toMatchObject({ id: eventId });
  });

  test('the API keys of its account', async () => {
    const [own, other] = await createTenants();
    const listKeyIds = async ({ accountId }: Tenant) =>
      (await lookUps.findSealedKeys(accountId)).map(({ id }) => id);
    expect([await listKeyIds(own), await listKeyIds(other)]).toEqual([
      [own.apiKeyId],
      [other.apiKeyId],
    ]);
  });
});

const hourMs = 60 * 60_000;
type ApiKeyRow = [what: string, data: { revokedAt?: Date; expiresAt?: Date }, isFound: boolean];
const apiKeys: ApiKeyRow[] = [
  ['is found', {}, true],
  ['is found until it expires', { expiresAt: new Date(Date.now() + hourMs) }, true],
  ['is not found once it has expired', { expiresAt: new Date(Date.now() - 1_000) }, false],
  ['is not found once it is revoked', { revokedAt: new Date() }, false],
];

test.each(apiKeys)('an API key %s', async (_what, data, isFound) => {
  const { accountId, apiKeyId: id } = await factories.createTenant();
  await database.prisma.apiKey.update({ where: { id }, data });
  expect([
    (await lookUps.findApiKey(id)) !== undefined,
    (await lookUps.findSealedKeys(accountId)).length > 0,
    (await createIdLists(database.lookUps).readApiKeyIds()).includes(id),
  ]).toEqual([isFound, isFound, isFound]);
});

test('an app, an event and an integration are not found once they are deleted', async () => {
  const tenant = await factories.createTenant();
  const { appId } = tenant;
  const { name, eventId } = await factories.createEvent(tenant, {});
  const { id } = await factories.createIntegration(tenant, { channel: 'email', provider: 'smtp' });
  const findAll = async () => [
    (await lookUps.findIntegration(id))?.id,
    (await lookUps.findEvent(appId, name))?.id,
    (await lookUps.findApp(appId))?.id,
    (await createIdLists(database.lookUps).readAppIds()).includes(appId),
  ];
  expect(await findAll()).toEqual([id, eventId, appId, true]);
  const data = { deletedAt: new Date() };
  await database.prisma.integration.update({ where: { id }, data });
  await database.prisma.event.update({ where: { id: eventId }, data });
  await database.prisma.app.update({ where: { id: appId }, data });
  expect(await findAll()).toEqual([undefined, undefined, undefined, false]);
});

test('the id lists hold every app of an installation with 1,000 apps', async () => {
  const { accountId } = await factories.createTenant();
  const many = { accountId, name: 'one of many', delivery: 'sandbox' };
  const apps = Array.from({ length: 1_000 }, () => ({ id: newId(), ...many }));
  await database.prisma.app.createMany({ data: apps });
  const listed = new Set(await createIdLists(database.lookUps).readAppIds());
  expect(apps.filter(({ id }) => !listed.has(id))).toEqual([]);
  await database.prisma.app.deleteMany({ where: many });
});
