import { newId } from '@belfry/runtime';
import { fillPath, listChangingRoutes } from './routes.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

/** Routes other than GET that a viewer may call: they only read, or concern the viewer. */
const openToViewers = [
  'DELETE /api/session',
  'DELETE /api/sessions/:id',
  'POST /api/apps/:appId/events/:eventId/call-example',
  'POST /api/apps/:appId/events/:eventId/check',
  'POST /api/apps/:appId/events/:eventId/preview',
  'POST /api/apps/:appId/events/:eventId/variables',
  'POST /api/frames',
  'POST /api/session',
  'POST /api/set-up',
  'POST /api/set-up/look',
  'PUT /api/password',
];

/** Routes for owners: operators, API keys and deletions that could lock everybody out. */
const forOwners = [
  'DELETE /api/apps/:appId',
  'DELETE /api/people/:id',
  'DELETE /api/people/invitations/:id',
  'PATCH /api/people/:id',
  'POST /api/keys',
  'POST /api/keys/:id/end',
  'POST /api/people/invitations',
];

async function signInAs(role: string): Promise<Neighbour> {
  const neighbour = await dashboard.createNeighbour();
  await dashboard.database.lookUps.query('UPDATE operator SET role = $2 WHERE email = $1', [
    neighbour.email,
    role,
  ]);
  return neighbour;
}

/** Calls every route that may change something; returns those refused by the role. */
async function findRefused({ call, tenant }: Neighbour): Promise<string[]> {
  const refusals: string[] = [];
  const ids = Object.fromEntries(
    ['id', 'eventId', 'versionId', 'messageId', 'requestId', 'userSid'].map((name) => [
      name,
      newId(),
    ]),
  );
  for (const [name, { method, path }] of listChangingRoutes(dashboard.app)) {
    // It would end the session of this test.
    if (name === 'DELETE /api/session') continue;
    const { status, body } = await call(
      method,
      fillPath(path, { ...ids, appId: tenant.appId }),
      {},
    );
    if (body.code === 'not_allowed') expect([name, status]).toEqual([name, 403]);
    if (body.code === 'not_allowed') refusals.push(name);
  }
  return refusals.sort();
}

function allBut(names: readonly string[]): string[] {
  const all = [...listChangingRoutes(dashboard.app).keys()];
  expect(all).toEqual(expect.arrayContaining([...names]));
  return all.filter((name) => !names.includes(name)).sort();
}

describe('a viewer', () => {
  test('cannot change anything, on any route', async () => {
    const viewer = await signInAs('viewer');
    expect(await findRefused(viewer)).toEqual(allBut(openToViewers));
  });

  test('can read every list', async () => {
    const { call, tenant } = await signInAs('viewer');
    for (const place of ['people', 'audit', 'keys', `apps/${tenant.appId}/users`]) {
      expect([place, (await call('get', place)).status]).toEqual([place, 200]);
    }
  });

  test('loses owner rights from the next call of an existing session', async () => {
    const { call, email } = await dashboard.createNeighbour();
    expect((await call('post', 'apps', { name: 'First' })).status).toBe(200);
    await dashboard.database.lookUps.query(`UPDATE operator SET role = 'viewer' WHERE email = $1`, [
      email,
    ]);
    expect((await call('post', 'apps', { name: 'Second' })).body.code).toBe('not_allowed');
  });
});

describe('an editor', () => {
  test('is refused only the routes for owners', async () => {
    expect(await findRefused(await signInAs('editor'))).toEqual(forOwners);
  });
});

describe('an owner', () => {
  test('may call every route', async () => {
    expect(await findRefused(await dashboard.createNeighbour())).toEqual([]);
  });
});
