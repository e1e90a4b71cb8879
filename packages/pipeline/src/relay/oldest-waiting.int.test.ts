import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  countNeedsAttention,
  createReadiness,
  type Database,
  readOldestWaiting,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { channelVersion, createFactories, openDatabase, testDatabase } from '@belfry/testing';
import { writeMessageRow } from '../message-row.fixture';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', '..', 'prisma', 'migrations');
let database: Database;
let url: string;

beforeAll(async () => {
  ({ url } = await testDatabase());
  database = openDatabase({ url, poolSize: 2 });
});

afterAll(() => database.close());

type Waiting = { ageMs: number; isBulk?: boolean; jobId?: string; state?: string };

/** Writes messages of a new app to a channel. */
async function writeWaiting(channel: string, messages: Waiting[]) {
  const factories = createFactories(database);
  const tenant = await factories.createTenant();
  const event = await factories.createEvent(tenant, { [channel]: channelVersion({}) });
  for (const { ageMs, ...rest } of messages) {
    const id = await writeMessageRow({ database, tenant, event }, { channel });
    const data = { dueAt: new Date(Date.now() - ageMs), ...rest };
    await database.prisma.message.update({ where: { id }, data });
  }
}

describe('readOldestWaiting', () => {
  test('reports for each channel how long its oldest due message has waited', async () => {
    const channel = `channel_${newId()}`;
    await writeWaiting(channel, [{ ageMs: 60_000 }, { ageMs: 1_000 }, { ageMs: -60_000 }]);
    const [waiting, empty] = await readOldestWaiting(database.delivery, [channel, 'nobody']);
    expect(waiting?.seconds).toBeGreaterThan(59);
    expect(waiting?.seconds).toBeLessThan(120);
    expect(empty).toEqual({ channel: 'nobody', seconds: 0 });
  });

  test('counts a queued message that has a job, but none that is being sent', async () => {
    const channel = `channel_${newId()}`;
    const jobId = newId();
    await writeWaiting(channel, [
      { ageMs: 600_000, jobId },
      { ageMs: 900_000, jobId, state: 'sending' },
    ]);
    const [waiting] = await readOldestWaiting(database.delivery, [channel]);
    expect(Math.round(waiting?.seconds ?? 0)).toBeGreaterThan(599);
    expect(Math.round(waiting?.seconds ?? 0)).toBeLessThan(800);
  });

  test.each([0, 1, 2, 3])('finds the oldest in each app and class: %i', async (oldest) => {
    const channel = `channel_${newId()}`;
    const ages = [0, 1, 2, 3].map((place) => (place === oldest ? 600_000 : 1_000));
    for (const app of [0, 1]) {
      const [ageMs, bulkAgeMs] = ages.slice(2 * app) as [number, number];
      await writeWaiting(channel, [{ ageMs }, { ageMs: bulkAgeMs, isBulk: true }]);
    }
    const [waiting] = await readOldestWaiting(database.delivery, [channel]);
    expect(waiting?.seconds).toBeGreaterThan(599);
  });
});

describe('countNeedsAttention', () => {
  test('counts for each channel the integrations that need attention, without deleted ones', async () => {
    const factories = createFactories(database);
    const tenant = await factories.createTenant();
    const channel = `channel_${newId()}`;
    const changes = [
      { state: 'active' },
      { state: 'needs_attention' },
      { state: 'needs_attention' },
      { state: 'needs_attention', deletedAt: new Date() },
    ];
    for (const data of changes) {
      const { id } = await factories.createIntegration(tenant, { channel, provider: 'any' });
      await database.prisma.integration.update({ where: { id }, data });
    }
    expect(await countNeedsAttention(database.delivery, [channel, 'nobody'])).toEqual([
      { channel, count: 2 },
      { channel: 'nobody', count: 0 },
    ]);
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
