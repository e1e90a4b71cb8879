import path from 'node:path';
import { migrate } from '@belfry/database';
import {
  eventually,
  hasDebianPostgres,
  query,
  type Replicated,
  startProcess,
  startReplicatedPostgres,
  testDatabase,
  testKeyRing,
} from '@belfry/testing';
import { createLogEvent, insertRequest } from './log-requests.fixture';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(240_000);

// Without the packages these tests would test nothing, so CI fails.
const describeServers =
  hasDebianPostgres || process.env['CI'] === 'true' ? describe : describe.skip;

const migrations = path.resolve(__dirname, '../../../../prisma/migrations');

describeServers('the log on a streaming replica', () => {
  let servers: Replicated;
  let dashboard: StoredDashboard;
  let event: Awaited<ReturnType<typeof createLogEvent>>;

  beforeEach(async () => {
    servers = await startReplicatedPostgres({ isSynchronous: false });
    await migrate(servers.primaryUrl, migrations);
    dashboard = await createStoredDashboard({
      DATABASE_URL: servers.primaryUrl,
      DATABASE_REPLICA_URL: servers.replicaUrl,
    });
    event = await createLogEvent(dashboard);
  }, 180_000);
  afterEach(async () => {
    await dashboard?.close();
    await servers?.remove();
  }, 120_000);

  const insert = async () => (await insertRequest(dashboard, { event })).requestId;

  async function readLog(): Promise<{ ids: string[]; lagSeconds: number }> {
    const { status, body } = await dashboard.call('get', `apps/${dashboard.tenant.appId}/log`);
    expect(status).toBe(200);
    const ids = body.rows.map(({ requestId }: { requestId: string }) => requestId);
    return { ids, lagSeconds: body.lagSeconds };
  }

  const expectLog = (log: object) =>
    eventually(async () => expect(await readLog()).toEqual(log), { timeoutMs: 30_000 });

  /** The log has only this request, and says that it is old. */
  const expectBehind = (only: string) =>
    eventually(
      async () => {
        const { ids, lagSeconds } = await readLog();
        expect(ids).toEqual([only]);
        expect(lagSeconds).toBeGreaterThanOrEqual(2);
      },
      { timeoutMs: 30_000 },
    );

  test('says how far behind a replica is that replays nothing; the request itself is never old', async () => {
    const first = await insert();
    await expectLog({ ids: [first], lagSeconds: 0 });
    await query(servers.replicaUrl, 'SELECT pg_wal_replay_pause()');
    const second = await insert();
    await expectBehind(first);
    const { status } = await dashboard.call(
      'get',
      `apps/${dashboard.tenant.appId}/requests/${second}`,
    );
    expect(status).toBe(200);
    await query(servers.replicaUrl, 'SELECT pg_wal_replay_resume()');
    await expectLog({ ids: [second, first], lagSeconds: 0 });
  });

  test('does not take a disconnected replica, which has replayed all that it received, for one that has everything', async () => {
    const first = await insert();
    await expectLog({ ids: [first], lagSeconds: 0 });
    await query(servers.replicaUrl, `ALTER SYSTEM SET primary_conninfo = ''`);
    await query(servers.replicaUrl, 'SELECT pg_reload_conf()');
    await eventually(async () =>
      expect(await query(servers.replicaUrl, 'SELECT pid FROM pg_stat_wal_receiver')).toEqual([]),
    );
    await insert();
    await expectBehind(first);
  });

  test('comes from the primary while the replica is away', async () => {
    await servers.killReplica();
    const only = await insert();
    expect(await readLog()).toEqual({ ids: [only], lagSeconds: 0 });
  });

  test('is not read from a replica of another installation: the dashboard exits with 78', async () => {
    const child = startProcess('apps/dashboard/dist/server/main.js', {
      DATABASE_URL: (await testDatabase()).url,
      DATABASE_REPLICA_URL: servers.replicaUrl,
      BELFRY_KEYS: testKeyRing,
      PUBLIC_URL: 'http://127.0.0.1:9',
      DASHBOARD_PORT: '0',
    });
    try {
      expect(await child.waitForEnd()).toBe(78);
      expect(child.output.join('\n')).toContain('DATABASE_REPLICA_URL leads to another server');
    } finally {
      await child.stop('SIGKILL');
    }
  });
});
