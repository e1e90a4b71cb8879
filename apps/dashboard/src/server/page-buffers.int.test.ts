import {
  bigTables,
  createStoredApps,
  listAllBulkStatements,
  listOtherStatements,
  listPageCalls,
  listRangeStatements,
  ownDatabase,
  readStoredTexts,
  recordBuffers,
  setTriggers,
} from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

/** About 100,000 messages; first only the newest tenth is written. */
const singles = 64_000;
const newest = 6_400;
const periodMs = 30 * 24 * 3_600_000;
/**
 * A search reads at most 2,000 requests and their messages, however many are stored; the small database has fewer. Queues and
 * overview count waiting messages up to a limit.
 */
const searchBuffers = 36_000;
const fillTimeoutMs = 120_000;

type PageReads = { buffers: number; scanned: string[] };
type Stored = Parameters<typeof listPageCalls>[0];

let dashboard: StoredDashboard;
let pool: StoredDashboard['database']['delivery'];
let stored: Stored;
let calls: ReturnType<typeof listPageCalls>;
let dropDatabase: () => Promise<void>;
let small: Map<string, PageReads>;
let large: Map<string, PageReads>;

beforeAll(async () => {
  const database = await ownDatabase();
  dropDatabase = database.drop;
  dashboard = await createStoredDashboard({ DATABASE_URL: database.url });
  const { tenant, factories } = dashboard;
  const { id: endpointId } = await factories.createWebhookEndpoint(tenant, {
    url: 'https://hooks.example.com',
    types: ['message.failed'],
  });
  const shape = { singles, bulks: [1_500], users: 5_000, startMs: Date.now() - periodMs, periodMs };
  stored = { shape, ids: await createStoredApps(dashboard.database, tenant), endpointId };
  pool = dashboard.database.delivery;
  await setTriggers(pool, 'DISABLE');
  await runAll(listRangeStatements(stored, { from: singles - newest + 1, to: singles }));
  await runAll([...listAllBulkStatements(stored), ...listOtherStatements(stored)]);
  await vacuum();
  calls = await listCalls();
  small = await measure();
  await runAll(listRangeStatements(stored, { from: 1, to: singles - newest }));
  await vacuum();
  large = await measure();
}, fillTimeoutMs);

afterAll(async () => {
  await dashboard?.close();
  await dropDatabase?.();
}, fillTimeoutMs);

async function runAll(statements: readonly (string | { text: string; values: unknown[] })[]) {
  for (const statement of statements) await pool.query(statement as string);
}

/** As autovacuum does on a system that has run for a minute. */
async function vacuum(): Promise<void> {
  for (const table of bigTables) await pool.query(`VACUUM (ANALYZE) ${table}`);
}

async function listCalls() {
  const texts = await readStoredTexts(dashboard.database, stored);
  const { body } = await dashboard.call('get', `apps/${stored.ids.appIds[0]}/log`);
  return listPageCalls(stored, { ...texts, cursors: [body.next] });
}

/** Buffers and scans of the statements of each page. */
async function measure(): Promise<Map<string, PageReads>> {
  const buffers = new Map<string, PageReads>();
  const recorder = recordBuffers(bigTables);
  try {
    for (const { name, build } of calls) {
      const { status } = await dashboard.call('get', build(1).replace('/api/', ''));
      expect([name, status]).toEqual([name, 200]);
      buffers.set(name, await recorder.take());
    }
  } finally {
    recorder.stop();
  }
  return buffers;
}

test('no page reads more than a bounded search when ten times as many messages are stored', () => {
  const growing = [...large].filter(([name, { buffers }]) => {
    const before = small.get(name)?.buffers ?? 0;
    return buffers > searchBuffers || (before > searchBuffers / 10 && buffers > before * 6);
  });
  expect(growing).toEqual([]);
});

test('no page scans a large table', () => {
  expect([...large].filter(([, { scanned }]) => scanned.length > 0)).toEqual([]);
});
