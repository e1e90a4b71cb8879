import { type Database, itemTokenPlace, totpPlace, userTokenPlace } from '@belfry/database';
import { createSecrets, newId } from '@belfry/runtime';
import {
  createFactories,
  openDatabase,
  ownDatabase,
  testKeyRing,
  testSecrets,
} from '@belfry/testing';
import { itemPartPlace } from '../accept/sealed-items';
import { createEndpoint } from '../webhooks/endpoint.fixture';
import { listOldKeys, rotateKeys } from './rotate-keys';

const secrets = testSecrets();
/** Rotation covers the whole database. */
let own: Awaited<ReturnType<typeof ownDatabase>>;
let database: Database;

beforeAll(async () => {
  own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

/** One row of each column that is sealed, in an account of its own. */
async function seed(): Promise<void> {
  const { prisma } = database;
  const factories = createFactories(database);
  const tenant = await factories.createTenant();
  const { accountId, appId } = tenant;
  await factories.createInboxSecret(tenant);
  await factories.createIntegration(tenant, {
    ...{ name: 'mail', channel: 'email', provider: 'smtp', settings: {} },
    credentials: { pass: 'secret' },
  });
  await createEndpoint(database, tenant);
  const [id, requestId] = [newId(), newId()];
  const userToken = secrets.seal('token', userTokenPlace(id));
  const contact = { slack: { access_token: userToken } };
  await prisma.user.create({ data: { id, appId, userId: 'ana', contact } });
  const operatorId = newId();
  const totp = { create: { secret: secrets.seal('JBSWY3DP', totpPlace(operatorId)) } };
  const email = `${operatorId}@example.com`;
  const operator = { id: operatorId, accountId, email, passwordHash: 'x', role: 'owner' };
  await prisma.operator.create({ data: { ...operator, totp } });
  const place = { requestId, item: 0 };
  const itemToken = secrets.seal('token', itemTokenPlace(requestId, 0));
  const sealPart = (part: 'data' | 'override') =>
    JSON.stringify(secrets.seal('{}', itemPartPlace(place, part)));
  const item = {
    ...{ item: 0, recipient: JSON.stringify({ slack: { access_token: itemToken } }) },
    ...{ data: sealPart('data'), override: sealPart('override') },
  };
  await prisma.request.create({
    data: {
      ...{ id: requestId, accountId, appId, eventId: newId(), versionId: newId() },
      ...{ kind: 'single', items: 1, plannedItems: 1, requestItems: { create: [item] } },
    },
  });
}

test('rotation reseals every row of every column, however many chunks it takes', async () => {
  // More than the passes that rotation makes.
  const rows = 7;
  for (let row = 0; row < rows; row += 1) await seed();
  const ring = `k2:${Buffer.alloc(32, 9).toString('base64')},${testKeyRing}`;
  const counts = await rotateKeys(database.delivery, createSecrets(ring), 1);
  expect(counts.map(({ resealed }) => resealed)).toEqual(counts.map(() => rows));
});

test('the keys that sealed before are listed by name, and forgotten if nothing needs them', async () => {
  const { keyCanary } = database.prisma;
  const names = ['old-c', 'old-a', 'old-b'];
  await keyCanary.createMany({ data: names.map((keyId) => ({ keyId, sealed: 'x' })) });
  const list = async () => {
    const keys = await listOldKeys(database.delivery, secrets);
    return keys.filter(({ keyId }) => names.includes(keyId));
  };
  expect((await list()).map(({ keyId }) => keyId)).toEqual(['old-a', 'old-b', 'old-c']);
  expect(await list()).toEqual([]);
});
