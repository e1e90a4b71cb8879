import type { Database } from '@belfry/database';
import { openDatabase, testDatabase } from '@belfry/testing';
import type pg from 'pg';
import { resultFor } from '../message-row.fixture';
import { writePlans } from '../relay/fan-out.sql';
import { writeCaptures } from './capture.sql';
import { claimEligibleMessages } from './claim.sql';
import { recordResults } from './record.sql';

let database: Database;

beforeAll(async () => {
  // Empty tables: plans that depend on their contents go wrong here.
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
});

afterAll(() => database.close());

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

/** The generic plan of the statement that `work` sends. */
async function explainPlan(work: (pool: pg.Pool) => Promise<unknown>): Promise<Node> {
  let text = '';
  const noting = {
    async query(query: pg.QueryConfig) {
      text = query.text;
      return { rows: [] };
    },
  };
  // The work sends only this statement.
  await work(noting as unknown as pg.Pool);
  const { rows } = await database.hot.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('PostgreSQL returned no plan');
  return plan;
}

function listNodes(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}

/** The first columns of the key indexes: a condition on later columns scans the whole index. */
const isByKey = /\((id|message_id|request_id|app_id) = /;

/** Scans of a table, or of an index without a condition on its first column. */
function listWalks(plan: Node): string[] {
  return listNodes(plan)
    .filter((node) => /Scan$/.test(node['Node Type']))
    .filter((node) => node['Node Type'] !== 'Bitmap Heap Scan')
    .filter((node) => node['Relation Name'] !== undefined || /Index/.test(node['Node Type']))
    .filter((node) => !isByKey.test(node['Index Cond'] ?? ''))
    .map(
      (node) =>
        `${node['Node Type']} of ${node['Relation Name'] ?? 'an index'} by ${node['Index Cond']}`,
    );
}

const id = '00000000-0000-7000-8000-000000000000';
const inboxItem = { title: 'Hi' };
const unplanned = {
  id,
  appId: id,
  versionId: id,
  items: 1,
  plannedItems: 0,
  plannedTo: 0,
  traceparent: null,
};

describe('a plan made while the tables are empty', () => {
  test.each<[string, (pool: pg.Pool) => Promise<unknown>]>([
    [
      'a fast claim',
      (pool) => claimEligibleMessages(pool, { ids: [id], worker: 'w', leaseMs: 1_000 }),
    ],
    ['a result', (pool) => recordResults(pool, [resultFor(id, {})])],
    ['a result with an inbox item', (pool) => recordResults(pool, [resultFor(id, { inboxItem })])],
    ['captures', (pool) => writeCaptures(pool, [])],
    ['plans', (pool) => writePlans(pool, unplanned, { from: 0, to: 1, items: [] })],
  ])('finds each row by an index: %s', async (_what, work) => {
    expect(listWalks(await explainPlan(work))).toEqual([]);
  });

  test('would fail this test if it scanned a table', async () => {
    const plan = await explainPlan((pool) =>
      pool.query({ text: 'SELECT FROM message WHERE item = 1' }),
    );
    expect(listWalks(plan)).toHaveLength(1);
  });
});
