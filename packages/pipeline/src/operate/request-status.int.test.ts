import type { Database } from '@belfry/database';
import {
  channelVersion,
  countReads,
  createFactories,
  type MixedRequest,
  openDatabase,
  type Plan,
  type Tenant,
  testDatabase,
  writeMixedRequest,
} from '@belfry/testing';
import { countStatements } from './count-messages.sql';
import { itemStatement } from './request-items';
import { entryStatement, readRequestStatus, type StatusPlace } from './request-status';

const channels = ['email', 'slack', 'sms', 'push'];
const maxPageBuffers = 1_000;
/** Two for each of the 3,200 messages. */
const maxCountBuffers = 6_400;

let database: Database;
let tenant: Tenant;
let bulk: MixedRequest;
/** The plan of 100 items before the first ANALYZE. */
let earlyPlan: Plan;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  const event = await factories.createEvent(
    tenant,
    Object.fromEntries(channels.map((channel) => [channel, channelVersion({ text: 'Hi' })])),
  );
  const options = { event, channels, unplanned: 200 };
  // Other requests, so that a table scan is not the cheapest plan.
  for (let seed = 1; seed <= 4; seed += 1) {
    await writeMixedRequest(database, tenant, { ...options, items: 1_000, seed });
  }
  bulk = await writeMixedRequest(database, tenant, { ...options, items: 1_000, seed: 9 });
  earlyPlan = await explain(readBulk(100));
  await database.lookUps.query('ANALYZE request, request_item, message');
}, 120_000);

afterAll(() => database?.close());

async function explain({ text, values }: { text: string; values: unknown[] }): Promise<Plan> {
  const { rows } = await database.lookUps.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  return rows[0]['QUERY PLAN'][0].Plan;
}

function readBulk(to: number) {
  return itemStatement({ appId: tenant.appId, requestId: bulk.requestId, from: 0, to });
}

/** Tables with thousands of rows that the plan scans in full. */
function readWhole(plan: Plan): string[] {
  const { 'Node Type': node, 'Relation Name': table = '' } = plan;
  const isBig = ['request_item', 'message'].includes(table);
  const own = node === 'Seq Scan' && isBig ? [table] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(readWhole)];
}

function countBuffers(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

describe('the status of a bulk of 1,000 with four channels', () => {
  test.each([
    ['the first page', undefined],
    ['a page in the middle', { item: 500, key: '' }],
    ['a page of unplanned items', { item: 900, key: 'email' }],
  ])('reads only the items of its page: %s', async (_, after) => {
    const { appId } = tenant;
    const { requestId } = bulk;
    const plan = await explain(entryStatement({ appId, requestId, after, limit: 101 }));
    expect(readWhole(plan)).toEqual([]);
    expect(countBuffers(plan)).toBeLessThan(maxPageBuffers);
  });

  // Counts rows and not buffers: the levels of an index depend on how its pages were split.
  test.each([
    ['a page, before tables are analyzed', 100, () => earlyPlan],
    ['a page', 100, () => explain(readBulk(100))],
    ['the items of one step of a search', 500, () => explain(readBulk(500))],
  ])('reads the request once, and each item and its messages once: %s', async (_, to, getPlan) => {
    const plan = await getPlan();
    const { rowCount: messages } = await database.lookUps.query(
      'SELECT FROM message WHERE request_id = $1 AND item < $2',
      [bulk.requestId, to],
    );
    expect(countReads(plan, 'request').scans).toBe(1);
    expect(countReads(plan, 'request_item')).toEqual({ scans: 1, rows: to });
    expect(countReads(plan, 'message').scans).toBe(to);
    // A plan tells the rows of a scan as a rounded mean.
    expect(countReads(plan, 'message').rows).toBeLessThan(messages! * 1.1);
  });

  test('counts by the index of the request, in bounded reads', async () => {
    const [statement] = countStatements({ appId: tenant.appId, requestIds: [bulk.requestId] });
    const plan = await explain(statement!);
    expect(readWhole(plan)).toEqual([]);
    expect(countBuffers(plan)).toBeLessThan(maxCountBuffers);
  });

  test('in pages has each entry once, also if a page ends within an item', async () => {
    const { appId } = tenant;
    const { requestId } = bulk;
    const read = (after: StatusPlace | undefined, limit: number) =>
      readRequestStatus(database.lookUps, { appId, requestId, after, limit });
    const all = (await read(undefined, 30))?.entries ?? [];
    expect(new Set(all.map(({ item }) => item)).size).toBeLessThan(all.length);
    const single: typeof all = [];
    while (single.length < all.length) {
      const page = await read(single.at(-1), 1);
      single.push(...(page?.entries ?? []));
      expect(page?.entries).toHaveLength(1);
    }
    expect(single).toEqual(all);
  });

  test('is returned to its own app only', async () => {
    const page = { requestId: bulk.requestId, after: undefined, limit: 1 };
    expect(
      await readRequestStatus(database.lookUps, { ...page, appId: tenant.appId }),
    ).toBeDefined();
    const other = await createFactories(database).createTenant();
    expect(
      await readRequestStatus(database.lookUps, { ...page, appId: other.appId }),
    ).toBeUndefined();
  });
});
