import { writeCapture } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import { fill, routesOf } from './routes.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let neighbour: Neighbour;
let ids: Record<string, string>;
/** The row that `:id` names, by the part of the path before it. */
let idBehind: Record<string, string>;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
  neighbour = await dashboard.createNeighbour();
  ids = await createRows();
  const { call, tenant } = dashboard;
  const suppression = { channel: 'email', address: 'a@example.com', detail: 'x' };
  const filter = { name: 'Failed', filters: { last: '24h', state: 'failed' } };
  const [suppressed, saved] = [
    await call('post', `apps/${tenant.appId}/suppressions`, suppression),
    await call('post', `apps/${tenant.appId}/filters`, filter),
  ];
  idBehind = {
    integrations: ids['id'] ?? '',
    suppressions: suppressed.body.id,
    filters: saved.body.filters[0].id,
  };
});

afterAll(() => dashboard.close());

/** Rows of the first account, for every parameter that a path has. */
async function createRows(): Promise<Record<string, string>> {
  const { tenant, factories, call } = dashboard;
  const event = await factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x', html: 'x' }),
  });
  const integration = await factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
  });
  const tested = await call('post', `apps/${tenant.appId}/events/${event.eventId}/test`, {
    definition: {
      defaultLocale: 'en',
      missing: 'empty',
      isSensitive: false,
      channels: { email: channelVersion({ subject: 'x', html: 'x' }) },
    },
    user: { email: 'a@example.com' },
    data: {},
    delivery: 'sandbox',
  });
  const { requestId } = tested.body;
  const story = await call('get', `apps/${tenant.appId}/requests/${requestId}`);
  const { messageId } = story.body.lanes[0];
  return {
    appId: tenant.appId,
    eventId: event.eventId,
    versionId: event.versionId,
    id: integration.id,
    requestId,
    messageId,
    captureId: await createCapture(messageId),
    resendId: await createResend(tenant.appId),
    channel: 'email',
    userSid: await createUser(tenant.appId),
  };
}

async function createUser(appId: string): Promise<string> {
  const id = newId();
  await dashboard.database.prisma.user.create({ data: { id, appId, userId: 'ana' } });
  return id;
}

/** A route whose `:id` names rows of a new kind fails until there is such a row. */
function idOf(list: string): string {
  const id = idBehind[list];
  if (!id) throw new Error(`There is no row of ${list} here.`);
  return id;
}

async function createCapture(messageId: string): Promise<string> {
  const { tenant, database } = dashboard;
  const sent = { channel: 'email', provider: 'smtp', target: 'a@example.com', attempt: 1 };
  const told = { content: {}, request: {}, outcome: 'accepted' };
  await writeCapture(database.delivery, { appId: tenant.appId, messageId, ...sent, ...told });
  return (await database.prisma.capture.findFirstOrThrow({ where: { messageId } })).id;
}

async function createResend(appId: string): Promise<string> {
  const id = newId();
  await dashboard.database.prisma.resend.create({ data: { id, appId, filter: {}, matched: 1 } });
  return id;
}

describe('an operator of another account', () => {
  test('finds no app, whatever the route', async () => {
    const routes = routesOf(dashboard.app).filter(({ path }) => path.includes(':appId'));
    expect(routes.length).toBeGreaterThan(30);
    for (const { method, path } of routes) {
      const answer = await neighbour.call(method, fill(path, ids));
      expect([method, path, answer.status, answer.body.error]).toEqual([
        method,
        path,
        404,
        'There is no such app.',
      ]);
    }
  });

  test('finds nothing of another app under its own, whatever the route', async () => {
    const own = { ...ids, appId: neighbour.tenant.appId };
    const routes = routesOf(dashboard.app).filter(
      ({ path }) =>
        /:(id|eventId|versionId|requestId|messageId|captureId|resendId|userSid)/.test(path) &&
        path.includes(':appId'),
    );
    for (const { method, path } of routes) {
      const body = method === 'get' ? undefined : bodyFor(path, method);
      const [, list = ''] = /(\w+)\/:id/.exec(path) ?? [];
      const id = path.includes(':id') ? idOf(list) : '';
      const answer = await neighbour.call(method, fill(path, { ...own, id }), body);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  });

  test('finds no key and no session of the others', async () => {
    const { apiKeyId } = dashboard.tenant;
    const password = 'a sentence of their own';
    for (const verb of ['show', 'end']) {
      const body = { password, confirm: true };
      expect((await neighbour.call('post', `keys/${apiKeyId}/${verb}`, body)).status).toBe(404);
    }
    const { body } = await dashboard.call('get', 'sessions');
    expect((await neighbour.call('delete', `sessions/${body.sessions[0].id}`)).status).toBe(404);
    expect((await neighbour.call('get', `queues?app=${ids['appId']}`)).status).toBe(404);
    expect((await neighbour.call('get', 'audit')).body.entries).toEqual([]);
    const { apps } = (await neighbour.call('get', 'apps')).body;
    expect(apps.map(({ id }: { id: string }) => id)).toEqual([neighbour.tenant.appId]);
  });

  test('changed nothing by asking', async () => {
    const { call } = dashboard;
    const event = await call('get', `apps/${ids['appId']}/events/${ids['eventId']}`);
    expect(event.body).toMatchObject({ state: 'live', draft: { revision: 0 } });
    const integration = await call('get', `apps/${ids['appId']}/integrations/${ids['id']}`);
    expect(integration.body.state).toBe('active');
    const capture = await call('get', `apps/${ids['appId']}/captures/${ids['captureId']}`);
    expect(capture.body.captures).toHaveLength(1);
    const user = await call('get', `apps/${ids['appId']}/users/${ids['userSid']}`);
    expect(user.status).toBe(200);
    for (const list of ['suppressions', 'filters']) {
      const { body } = await call('get', `apps/${ids['appId']}/${list}`);
      expect(body[list]).toMatchObject([{ id: idBehind[list] }]);
    }
  });
});

/** One body that every route takes as far as it gets before it looks for the row. */
function bodyFor(path: string, method: string): object {
  const definition = { defaultLocale: 'en', missing: 'empty', isSensitive: false, channels: {} };
  const all = {
    definition,
    basedOn: 0,
    basedOnLive: 'x',
    user: {},
    data: {},
    delivery: 'sandbox',
    confirm: true,
    confirmName: 'x',
    confirmUserId: 'x',
  };
  return path.endsWith('/:id') && method === 'put' ? { updatedAt: 1 } : { ...all, name: 'x' };
}
