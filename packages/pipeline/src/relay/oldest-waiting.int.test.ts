import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createDatabase,
  createReadiness,
  type Database,
  readOldestWaiting,
} from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import { channelVersion, createFactories, testDatabase } from '@belfry/testing';
import { writeRequests } from '../accept/write';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', '..', 'prisma', 'migrations');
const log = createLogger({ level: 'error', process: 'test' });
let database: Database;
let url: string;

beforeAll(async () => {
  ({ url } = await testDatabase());
  database = createDatabase({ url, poolSize: 2, log });
});

afterAll(() => database.close());

describe('readOldestWaiting', () => {
  test('reports for each channel how long its oldest due message has waited', async () => {
    const factories = createFactories(database);
    const tenant = await factories.createTenant();
    const channel = `channel_${newId()}`;
    const { eventId, versionId } = await factories.createEvent(tenant, {
      [channel]: channelVersion({}),
    });
    const messages = [60_000, 1_000, -60_000].map((ageMs) => ({
      id: newId(),
      channel,
      target: String(ageMs),
      integrationId: undefined,
      dueAt: new Date(Date.now() - ageMs),
      timeToLiveMs: 3_600_000,
      jobId: undefined,
      note: undefined,
    }));
    const { accountId, appId } = tenant;
    const ids = { id: newId(), accountId, appId, eventId, versionId };
    const request = {
      ...ids,
      kind: 'single' as const,
      apiKeyId: undefined,
      idempotencyKey: undefined,
    };
    const plan = { messages, skips: {}, locale: undefined };
    const emptyTexts = { recipient: undefined, data: undefined, override: undefined };
    const item = { ...emptyTexts, locale: undefined, scheduleAt: undefined, plan };
    await writeRequests(database.accepting, [{ request, key: undefined, items: [item] }]);
    const [waiting, empty] = await readOldestWaiting(database.delivery, [channel, 'nobody']);
    expect(waiting?.seconds).toBeGreaterThan(59);
    expect(waiting?.seconds).toBeLessThan(120);
    expect(empty).toEqual({ channel: 'nobody', seconds: 0 });
  });
});

describe('createReadiness', () => {
  const isReady = (changes: Partial<Parameters<typeof createReadiness>[0]> = {}) =>
    createReadiness({ pool: database.accepting, databaseUrl: url, migrationsDir, ...changes })();

  test('succeeds if the database has every migration', async () => {
    expect(await isReady()).toBe(true);
  });

  test('succeeds if the database is newer than this code', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'belfry-migrations-'));
    expect(await isReady({ migrationsDir: folder })).toBe(true);
    await rm(folder, { recursive: true });
  });

  test('fails if the database was never migrated', async () => {
    const server = new URL(url);
    server.pathname = '/postgres';
    expect(await isReady({ databaseUrl: server.href })).toBe(false);
  });
});
