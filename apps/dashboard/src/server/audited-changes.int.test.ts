import { createSlackSimulator, type SlackSimulator } from '@belfry/testing';
import type { Scene } from './change-calls.fixture';
import { changes } from './changes.fixture';
import { splitRoute } from './route';
import { fillPath, listChangingRoutes } from './routes.fixture';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(30_000);

let dashboard: StoredDashboard;
let slack: SlackSimulator;

beforeAll(async () => {
  slack = await createSlackSimulator();
  dashboard = await createStoredDashboard({ SLACK_API_URL: slack.url });
});

afterAll(async () => {
  await dashboard.close();
  await slack.close();
});

/** Audit entries of the account. */
async function readAudit({ tenant }: Scene) {
  const { readPage } = dashboard.services.audit;
  return (await readPage(tenant.accountId, {}, { limit: 50 })).entries;
}

describe('a change', () => {
  test('has an entry in changes.fixture.ts for every route', () => {
    const routes = listChangingRoutes().map(([route]) => route);
    expect(routes.length).toBeGreaterThan(40);
    expect(routes.sort()).toEqual(Object.keys(changes).sort());
  });

  test('is recorded on every route, except those that change nothing for other operators', () => {
    const unaudited = listChangingRoutes().filter(([, { audit }]) => audit === undefined);
    expect(unaudited.map(([route]) => route).sort()).toEqual([
      'DELETE /api/session',
      'POST /api/apps/:appId/events/:eventId/call-example',
      'POST /api/apps/:appId/events/:eventId/check',
      'POST /api/apps/:appId/events/:eventId/dry-run',
      'POST /api/apps/:appId/events/:eventId/preview',
      'POST /api/apps/:appId/events/:eventId/variables',
      // The callback of Slack records integration.installed.
      'POST /api/apps/:appId/integrations/:id/slack-install',
      'POST /api/apps/:appId/suppressions/import/check',
      'POST /api/frames',
      'POST /api/session',
      'POST /api/set-up/look',
      // A secret without effect, until POST /api/totp/confirm records operator.totp_added.
      'POST /api/totp',
    ]);
  });

  test.each(listChangingRoutes().filter(([, { audit }]) => audit !== undefined))(
    '%s is recorded in the audit with operator and time',
    async (route, { audit = [] }) => {
      const scene: Scene = { ...(await dashboard.createNeighbour()), dashboard };
      const { path = {}, body, by = scene.email } = (await changes[route]?.(scene)) ?? {};
      const before = new Set((await readAudit(scene)).map(({ id }) => id));
      const [method, pattern] = splitRoute(route);
      const at = fillPath(pattern, { appId: scene.tenant.appId, ...path });
      const answer = await scene.call(method, at, body);
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      const entries = (await readAudit(scene)).filter(({ id }) => !before.has(id));
      const expected = [audit].flat().map((action) => {
        return { action, operator: by, at: expect.any(Date) };
      });
      expect(entries).toMatchObject(expected);
    },
  );
});
