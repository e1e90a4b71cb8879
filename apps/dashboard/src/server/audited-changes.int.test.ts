import { createSlackSimulator, type SlackSimulator } from '@belfry/testing';
import type { Scene } from './change-calls.fixture';
import { changes } from './changes.fixture';
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
function readAudit({ tenant }: Scene) {
  const page = { before: undefined, limit: 50 };
  return dashboard.services.audit.listAuditEntries(tenant.accountId, page);
}

describe('a change', () => {
  test('has an entry in changes.fixture.ts for every route', () => {
    const routes = [...listChangingRoutes(dashboard.app).keys()];
    expect(routes.length).toBeGreaterThan(40);
    expect(routes.sort()).toEqual(Object.keys(changes).sort());
  });

  test.each(Object.entries(changes).filter(([, change]) => 'audit' in change))(
    '%s is recorded in the audit with operator and time',
    async (name, change) => {
      if (!('audit' in change)) throw new Error('filtered above');
      const scene: Scene = { ...(await dashboard.createNeighbour()), dashboard };
      const { path = {}, body, by = scene.email } = await change.make(scene);
      const before = new Set((await readAudit(scene)).map(({ id }) => id));
      const route = listChangingRoutes(dashboard.app).get(name);
      if (!route) throw new Error('This route no longer exists');
      const at = fillPath(route.path, { appId: scene.tenant.appId, ...path });
      const answer = await scene.call(route.method, at, body);
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      const entries = (await readAudit(scene)).filter(({ id }) => !before.has(id));
      const expected = [change.audit].flat().map((action) => {
        return { action, operator: by, at: expect.any(Date) };
      });
      expect(entries).toMatchObject(expected);
    },
  );
});
