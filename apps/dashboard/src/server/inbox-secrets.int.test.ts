import { createLookUps, findSealedSecrets, inboxSecretPlace } from '@belfry/database';
import { testSecrets } from '@belfry/testing';
import {
  createStoredDashboard,
  type Neighbour,
  password,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

async function createOwner(): Promise<Neighbour & { path: string }> {
  const neighbour = await dashboard.createNeighbour();
  return { ...neighbour, path: `apps/${neighbour.tenant.appId}/inbox-secrets` };
}

/** The active secrets, as the gateway reads them. */
async function readActive(appId: string): Promise<Record<string, string>> {
  const sealed = await findSealedSecrets(dashboard.database.lookUps, appId);
  const entries = sealed.map((each) => [
    each.id,
    testSecrets().open(each.sealed, inboxSecretPlace(each.id)),
  ]);
  return Object.fromEntries(entries);
}

test('a secret is created, shown and revoked with the password, and the audit records each', async () => {
  const { call, path, tenant } = await createOwner();
  expect((await call('get', path)).body).toEqual({ secrets: [], maxActive: 2 });
  const created = await call('post', path, { password });
  const { id, secret } = created.body;
  expect(secret).toMatch(/^bis_[\w-]{43}$/);
  expect(await readActive(tenant.appId)).toEqual({ [id]: secret });
  expect((await call('get', path)).body.secrets).toEqual([
    { id, createdAt: expect.any(Number), revokedAt: null },
  ]);
  expect((await call('post', `${path}/${id}/show`, { password })).body).toEqual({ id, secret });
  const revoked = await call('post', `${path}/${id}/revoke`, { password });
  expect(revoked.body.secrets).toMatchObject([{ id, revokedAt: expect.any(Number) }]);
  expect(await readActive(tenant.appId)).toEqual({});
  for (const action of ['show', 'revoke']) {
    expect((await call('post', `${path}/${id}/${action}`, { password })).status).toBe(404);
  }
  const entries = await dashboard.database.prisma.auditEntry.findMany({
    where: { appId: tenant.appId, subject: id },
    orderBy: { id: 'asc' },
  });
  expect(entries.map(({ action }) => action)).toEqual([
    ...['inbox_secret.created', 'inbox_secret.shown', 'inbox_secret.revoked'],
  ]);
  expect(JSON.stringify(entries)).not.toContain(secret);
});

test('two can be active, so that one can be replaced; calls at once create no third', async () => {
  const { call, path, tenant } = await createOwner();
  const answers = await Promise.all([1, 2, 3, 4].map(() => call('post', path, { password })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
  const active = await readActive(tenant.appId);
  expect(new Set(Object.values(active)).size).toBe(2);
  const [id] = Object.keys(active);
  await call('post', `${path}/${id}/revoke`, { password });
  expect((await call('post', path, { password })).status).toBe(200);
});

test('a wrong password shows and changes nothing', async () => {
  const { call, path, tenant } = await createOwner();
  const { id } = (await call('post', path, { password })).body;
  const before = await readActive(tenant.appId);
  for (const action of ['', `/${id}/show`, `/${id}/revoke`]) {
    const { status, body } = await call('post', `${path}${action}`, { password: 'wrong' });
    expect([status, body.code]).toEqual([403, 'wrong_password']);
  }
  expect(await readActive(tenant.appId)).toEqual(before);
});

test('an app that is removed accepts no tokens any more, because the gateway does not find it', async () => {
  const { call, tenant, path } = await createOwner();
  await call('post', path, { password });
  const name = (await call('get', 'apps')).body.apps[0].name;
  await call('delete', `apps/${tenant.appId}`, { confirmName: name });
  expect(await createLookUps(dashboard.database.lookUps).findApp(tenant.appId)).toBeUndefined();
});
