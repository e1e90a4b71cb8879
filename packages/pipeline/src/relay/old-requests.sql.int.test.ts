import type { Database, Queryable } from '@belfry/database';
import { openDatabase, ownDatabase } from '@belfry/testing';
import { createOldRequests } from './old-requests.sql';

jest.setTimeout(60_000);

let database: Database;
let dropDatabase: () => Promise<void>;

beforeAll(async () => {
  const own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 2 });
  dropDatabase = own.drop;
});

afterAll(async () => {
  await database.close();
  await dropDatabase();
});

const query = (text: string, values: unknown[] = []) => database.delivery.query(text, values);

const smallApps = 300;
const largeApp = 20_000;

/** Many apps with ten requests each, and one with many. Half of each are 40 days old. */
async function writeRequests(): Promise<void> {
  await query(`INSERT INTO account (id, name) VALUES (md5('a')::uuid, 'x')`);
  await query(
    `INSERT INTO app (id, account_id, name, delivery)
     SELECT md5(n::text)::uuid, md5('a')::uuid, 'x', 'live' FROM generate_series(0, $1::int) n`,
    [smallApps],
  );
  await query(
    `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, created_at)
     SELECT (lpad(to_hex(n), 12, '0') || right(md5(app::text), 20))::uuid, md5('a')::uuid, md5(app::text)::uuid,
       md5('e')::uuid, md5('v')::uuid, 'single', 1, 1, now() - CASE WHEN n <= size / 2 THEN interval '40 days' ELSE '1 day' END
     FROM generate_series(0, $1::int) app, LATERAL (SELECT CASE WHEN app = 0 THEN $2::int ELSE 10 END AS size) s,
       generate_series(1, size) n`,
    [smallApps, largeApp],
  );
}

type Plan = { 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] };

function countRows(plan: Plan): number {
  const rows = plan['Actual Rows'] * plan['Actual Loops'];
  return Math.max(rows, ...(plan.Plans ?? []).map(countRows));
}

/** The most rows that a part of each statement returned. */
async function readAll(): Promise<{ ids: string[]; rows: number[] }> {
  const rows: number[] = [];
  const explained = {
    async query(statement: { text: string; values: unknown[] }) {
      const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}`;
      const explanation = await query(text, statement.values);
      rows.push(countRows(explanation.rows[0]['QUERY PLAN'][0].Plan));
      return query(statement.text, statement.values);
    },
  } as unknown as Queryable;
  const readPage = createOldRequests({ retentionDays: 30, pageSize: 1_000 });
  const ids: string[] = [];
  for (;;) {
    const page = await readPage(explained);
    if (page.length === 0) return { ids, rows };
    ids.push(...page.map(({ id }) => id));
  }
}

test('all old requests are read once, and a page of a large app costs no more than one of a small app', async () => {
  await writeRequests();
  for (const prepare of ['SELECT 1', 'ANALYZE request, app']) {
    await query(prepare);
    const { ids, rows } = await readAll();
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(largeApp / 2 + smallApps * 5);
    // A statement reads 200 requests, or passes apps without an old one.
    expect(Math.max(...rows)).toBeLessThanOrEqual(smallApps + 1);
  }
});
