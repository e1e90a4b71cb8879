import { createLogger } from '@belfry/runtime';
import { createFactories, type Tenant, testDatabase } from '@belfry/testing';
import { createSystemActor } from '../audit';
import { createDatabase, type Database } from '../client';
import {
  type IntegrationResults,
  removeOldIntegrationCounts,
  writeIntegrationResults,
  writeTestResult,
} from './integration-health';
import { createAppIntegrations } from './integrations';

let database: Database;
let tenant: Tenant;
let id: string;

beforeAll(async () => {
  const { url } = await testDatabase();
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url, poolSize: 2, log });
});

afterAll(() => database.close());

beforeEach(async () => {
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  id = (await factories.createIntegration(tenant, { channel: 'email', provider: 'smtp' })).id;
});

const find = async () => createAppIntegrations(database.lookUps).find(tenant.appId, id);

const results = (changes: Partial<IntegrationResults> = {}): IntegrationResults => ({
  integrationId: id,
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

  test('is changed by a connection test, which is not counted as an attempt', async () => {
    await writeTestResult(database.lookUps, id, { isWorking: false, detail: 'b:25 refused.' });
    const failed = { lastSuccessAt: null, lastError: 'b:25 refused.', failuresInRow: 1 };
    expect(await find()).toMatchObject({ ...failed, succeeded: 0, failed: 0 });
    await writeTestResult(database.lookUps, id, { isWorking: true, detail: 'Yes.' });
    expect(await find()).toMatchObject({ lastSuccessAt: expect.any(Date), failuresInRow: 0 });
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
