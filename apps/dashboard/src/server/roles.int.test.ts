import { newId } from '@belfry/runtime';
import type { Access } from '../api/route-spec';
import { listRoutes, splitRoute } from './route';
import { fillPath, formatRoute, listAppRoutes, listChangingRoutes } from './routes.fixture';
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

/** Changing routes of the contract that need at least one of these roles. */
function listRoutesFor(...roles: Access[]): string[] {
  return listChangingRoutes()
    .filter(([, { access }]) => roles.includes(access))
    .map(([route]) => route)
    .sort();
}

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
  for (const [name] of listChangingRoutes()) {
    // It would end the session of this test.
    if (name === 'DELETE /api/session') continue;
    const [method, path] = splitRoute(name);
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

test('every route of the server is in the contract, and the other way round', () => {
  const served = listAppRoutes(dashboard.app).filter(({ path }) => path.startsWith('/api/'));
  expect(served.map(formatRoute).sort()).toEqual(
    listRoutes()
      .map(([route]) => route)
      .sort(),
  );
});

describe('the contract', () => {
  test('lets viewers read everything, and change only what concerns themselves', () => {
    expect(listRoutesFor('anyone', 'viewer')).toEqual([
      'DELETE /api/session',
      'DELETE /api/sessions/:id',
      'DELETE /api/totp',
      'POST /api/apps/:appId/events/:eventId/call-example',
      'POST /api/apps/:appId/events/:eventId/check',
      'POST /api/apps/:appId/events/:eventId/dry-run',
      'POST /api/apps/:appId/events/:eventId/preview',
      'POST /api/apps/:appId/events/:eventId/variables',
      'POST /api/frames',
      'POST /api/session',
      'POST /api/set-up',
      'POST /api/set-up/look',
      'POST /api/totp',
      'POST /api/totp/confirm',
      'POST /api/totp/recovery-codes',
      'PUT /api/password',
    ]);
    const reads = listRoutes().filter(([route]) => route.startsWith('GET '));
    expect(reads.filter(([, { access }]) => !['anyone', 'viewer'].includes(access))).toEqual([]);
  });

  test('leaves operators, API keys and deletions that could lock everybody out to owners', () => {
    expect(listRoutesFor('owner')).toEqual([
      'DELETE /api/apps/:appId',
      'DELETE /api/people/:id',
      'DELETE /api/people/:id/totp',
      'DELETE /api/people/invitations/:id',
      'PATCH /api/keys/:id',
      'PATCH /api/people/:id',
      'POST /api/keys',
      'POST /api/keys/:id/end',
      'POST /api/people/invitations',
    ]);
  });
});

describe('a viewer', () => {
  test('cannot change anything, on any route', async () => {
    const viewer = await signInAs('viewer');
    expect(await findRefused(viewer)).toEqual(listRoutesFor('editor', 'owner'));
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
    expect(await findRefused(await signInAs('editor'))).toEqual(listRoutesFor('owner'));
  });
});

describe('an owner', () => {
  test('may call every route', async () => {
    expect(await findRefused(await dashboard.createNeighbour())).toEqual([]);
  });
});
