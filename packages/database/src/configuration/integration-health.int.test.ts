import {
  createFactories,
  eventually,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { createSystemActor } from '../audit';
import type { Database } from '../client';
import {
  clearHealth,
  type IntegrationResults,
  removeOldIntegrationCounts,
  writeIntegrationResults,
  writeTestResult,
} from './integration-health';
import { markActive, markNeedsAttention } from './integration-state';
import { createAppIntegrations } from './integrations';
import { fillSlackIntegration } from './slack-installs';

let database: Database;
let tenant: Tenant;
let id: string;
let updatedAt: Date;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
});

afterAll(() => database.close());

beforeEach(async () => {
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  id = (await factories.createIntegration(tenant, { channel: 'email', provider: 'smtp' })).id;
  updatedAt = (await find())!.updatedAt;
});

const find = async () => createAppIntegrations(database.lookUps).find(tenant.appId, id);

const results = (changes: Partial<IntegrationResults> = {}): IntegrationResults => ({
  integrationId: id,
  updatedAt,
  succeeded: 0,
  failed: 0,
  failuresInRow: 0,
  successMsAgo: undefined,
  failureMsAgo: undefined,
  error: undefined,
  circuitOpenMs: undefined,
  ...changes,
});

const write = (...rows: IntegrationResults[]) => writeIntegrationResults(database.delivery, rows);

const success = { succeeded: 1, successMsAgo: 0 };
const untested = { lastSuccessAt: null, lastFailureAt: null, succeeded: 0, failed: 0 };

/** Saves the integration as it was read. */
function save(isUntested: boolean) {
  const change = { id, updatedAt, isUntested, name: 'renamed', settings: {}, credentials: 'b' };
  const actor = createSystemActor(tenant.accountId);
  return createAppIntegrations(database.lookUps).change(actor, tenant.appId, change);
}

/** Counts statements on this database that wait for a row. */
async function countBlockedWriters(): Promise<number> {
  const { rows } = await database.lookUps.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%integration_health%'`,
  );
  return rows[0]!.count;
}

/** Moves the counts back in time. */
async function age(minutes: number): Promise<void> {
  await database.delivery.query(
    `UPDATE integration_count SET at = at - $2 * interval '1 minute' WHERE integration_id = $1`,
    [id, minutes],
  );
}

describe('the health of an integration', () => {
  test('is empty before its first attempt', async () => {
    const none = { lastSuccessAt: null, lastFailureAt: null, lastError: null, failuresInRow: 0 };
    expect(await find()).toMatchObject({ ...none, succeeded: 0, failed: 0 });
  });

  test('counts the attempts of the last hour over processes, and leaves older ones out', async () => {
    await write(results({ succeeded: 100, failed: 50 }));
    await age(61);
    await write(results({ succeeded: 3, failed: 1 }));
    await age(50);
    await write(results({ succeeded: 4 }), results({ integrationId: tenant.appId, failed: 9 }));
    expect(await find()).toMatchObject({ succeeded: 7, failed: 1 });
    expect(await removeOldIntegrationCounts(database.delivery)).toBeGreaterThan(0);
    expect(await find()).toMatchObject({ succeeded: 7, failed: 1 });
  });

  test('keeps the last success, the last error, and the failures in a row', async () => {
    const failure = { failed: 2, failuresInRow: 2, failureMsAgo: 1_000, error: 'a:25 refused.' };
    await write(results({ succeeded: 1, successMsAgo: 60_000, ...failure, circuitOpenMs: 30_000 }));
    await write(results({ failed: 3, failuresInRow: 3, failureMsAgo: 0, error: 'Later.' }));
    const failing = await find();
    expect(failing).toMatchObject({ lastError: 'Later.', failuresInRow: 5 });
    expect(failing!.circuitOpenUntil!.getTime()).toBeGreaterThan(failing!.lastFailureAt!.getTime());
    const sinceSuccessMs = failing!.lastFailureAt!.getTime() - failing!.lastSuccessAt!.getTime();
    expect(Math.abs(sinceSuccessMs - 60_000)).toBeLessThan(10_000);
    await write(results({ succeeded: 1, successMsAgo: 0 }));
    expect(await find()).toMatchObject({ lastError: 'Later.', failuresInRow: 0 });
  });

  test('has no open circuit after a success, also when another failure follows', async () => {
    const failure = { failed: 1, failuresInRow: 1, failureMsAgo: 0, error: 'No.' };
    await write(results({ ...failure, circuitOpenMs: 30_000 }));
    await write(results(failure));
    expect((await find())!.circuitOpenUntil).toEqual(expect.any(Date));
    await write(results({ succeeded: 1, successMsAgo: 0 }));
    await write(results(failure));
    expect(await find()).toMatchObject({ failuresInRow: 1, circuitOpenUntil: null });
    await write(results({ succeeded: 1, successMsAgo: 1, ...failure, circuitOpenMs: 30_000 }));
    expect((await find())!.circuitOpenUntil).toEqual(expect.any(Date));
  });

  test('is changed by a connection test, which is not counted as an attempt', async () => {
    const pool = database.lookUps;
    const revision = { integrationId: id, updatedAt };
    await writeTestResult(pool, revision, { isWorking: false, detail: 'b:25 refused.' });
    const failed = { lastSuccessAt: null, lastError: 'b:25 refused.', failuresInRow: 1 };
    expect(await find()).toMatchObject({ ...failed, succeeded: 0, failed: 0 });
    await writeTestResult(pool, revision, { isWorking: true, detail: 'Yes.' });
    expect(await find()).toMatchObject({ lastSuccessAt: expect.any(Date), failuresInRow: 0 });
  });

  test.each([
    ['new settings or credentials', true, untested],
    ['another name', false, { succeeded: 1, failed: 1, lastError: 'No.' }],
  ])('after a save of %s is about the stored settings', async (_what, isUntested, health) => {
    await write(results({ ...success, failed: 1, failureMsAgo: 0, error: 'No.' }));
    expect(await save(isUntested)).toBe('changed');
    expect(await find()).toMatchObject(health);
  });

  test('ignores what was learned with settings that are saved over', async () => {
    await save(true);
    await write(results({ ...success, failed: 9, failuresInRow: 9, failureMsAgo: 0 }));
    const old = { integrationId: id, updatedAt };
    const integrations = createAppIntegrations(database.lookUps);
    const actor = createSystemActor(tenant.accountId);
    await markNeedsAttention(database.delivery, { ...old, reason: 'refused' });
    expect(await find()).toMatchObject({ ...untested, state: 'active' });
    const current = { integrationId: id, updatedAt: (await find())!.updatedAt };
    await markNeedsAttention(database.delivery, { ...current, reason: 'refused' });
    await markActive(database.delivery, old);
    const works = { isWorking: true, detail: 'Yes.' };
    await integrations.recordTestResult(actor, tenant.appId, old, works);
    expect(await find()).toMatchObject({ ...untested, state: 'needs_attention' });
    await integrations.recordTestResult(actor, tenant.appId, current, works);
    expect(await find()).toMatchObject({ lastSuccessAt: expect.any(Date), state: 'active' });
  });

  test('is unknown again after a Slack app is installed anew', async () => {
    const slack = { channel: 'slack', provider: 'slack' };
    id = (await createFactories(database).createIntegration(tenant, slack)).id;
    updatedAt = (await find())!.updatedAt;
    await write(results(success));
    const settings = { team_id: 'T1', app_id: 'A1', bot_user_id: 'U1' };
    const install = { integrationId: id, credentials: 'sealed', settings };
    await fillSlackIntegration(database.lookUps, createSystemActor(tenant.accountId), install);
    expect(await find()).toMatchObject(untested);
  });

  test('is not filled by an installation of Slack if it is not of Slack, removed or of another account', async () => {
    const factories = createFactories(database);
    const slack = { channel: 'slack', provider: 'slack' };
    const install = async (integrationId: string, { accountId } = tenant) => {
      const settings = { team_id: 'T1', app_id: 'A1', bot_user_id: 'U1' };
      const filled = { integrationId, credentials: 'sealed', settings };
      return fillSlackIntegration(database.lookUps, createSystemActor(accountId), filled);
    };
    expect(await install(id)).toBe(false);
    const bot = await factories.createIntegration(tenant, slack);
    expect(await install(bot.id, await factories.createTenant())).toBe(false);
    expect(await install(bot.id)).toBe(true);
    const data = { deletedAt: new Date() };
    await database.prisma.integration.update({ where: { id: bot.id }, data });
    expect(await install(bot.id)).toBe(false);
  });

  test('gets a later revision by each save, a millisecond later if the clock was set back', async () => {
    const slack = { channel: 'slack', provider: 'slack' };
    id = (await createFactories(database).createIntegration(tenant, slack)).id;
    updatedAt = new Date(Date.now() + 3_600_000);
    await database.prisma.integration.update({ where: { id }, data: { updatedAt } });
    expect(await save(false)).toBe('changed');
    expect((await find())!.updatedAt.getTime() - updatedAt.getTime()).toBe(1);
    const settings = { team_id: 'T1', app_id: 'A1', bot_user_id: 'U1' };
    const install = { integrationId: id, credentials: 'sealed', settings };
    await fillSlackIntegration(database.lookUps, createSystemActor(tenant.accountId), install);
    expect((await find())!.updatedAt.getTime() - updatedAt.getTime()).toBe(2);
  });

  test('is not filled by results that are written while new settings are saved', async () => {
    const saving = await database.lookUps.connect();
    await saving.query('BEGIN');
    await saving.query(
      `UPDATE integration SET updated_at = updated_at + interval '1 s' WHERE id = $1`,
      [id],
    );
    await clearHealth(saving, id);
    const written = write(results(success));
    await eventually(async () => expect(await countBlockedWriters()).toBe(1));
    await saving.query('COMMIT');
    saving.release();
    await written;
    expect(await find()).toMatchObject(untested);
  });

  test('names when it was paused, only while it is paused', async () => {
    const integrations = createAppIntegrations(database.lookUps);
    const actor = createSystemActor(tenant.accountId);
    await integrations.pause(actor, tenant.appId, id);
    expect(await find()).toMatchObject({ pausedAt: expect.any(Date), pausedBy: null });
    await integrations.resume(actor, tenant.appId, id);
    expect(await find()).toMatchObject({ pausedAt: null, pausedBy: null });
  });
});
