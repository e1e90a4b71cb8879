import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  createFactories,
  eventually,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import type pg from 'pg';
import type { ItemPlan } from '../accept/item-plan';
import { writeRequests } from '../accept/write';
import { countPlanned, isPlanned } from '../operate/is-planned.sql';
import {
  findUnplannedRequest,
  listUnplannedItems,
  type PlannedItem,
  type UnplannedRequest,
  writePlans,
} from './fan-out.sql';

jest.setTimeout(30_000);

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, {});
});

afterAll(() => database.close());

const itemCount = 10;

/** A bulk as the gateway stores it. */
async function writeBulk(locale?: string): Promise<string> {
  const id = newId();
  const { accountId, appId } = tenant;
  const item = { recipient: '{}', data: undefined, override: undefined, locale };
  const items = Array.from({ length: itemCount }, () => ({
    ...{ ...item, scheduleAt: undefined, plan: undefined },
  }));
  const nameless = { apiKeyId: undefined, idempotencyKey: undefined };
  const request = { id, accountId, appId, ...event, kind: 'bulk' as const, ...nameless };
  await writeRequests(database.accepting, [{ request, key: undefined, items }]);
  return id;
}

function planFor(target: string): ItemPlan {
  const message = {
    ...{ id: newId(), channel: 'sms', target, timeToLiveMs: 60_000 },
    ...{ integrationId: undefined, dueAt: undefined, jobId: undefined, note: undefined },
  };
  return { locale: undefined, skips: {}, messages: [message] };
}

/** Items with a message each, to different targets. */
function createItems(from: number, to: number, plannedBy = 'me'): PlannedItem[] {
  return Array.from({ length: to - from }, (_, index) => ({
    ...{ item: from + index, locale: undefined, plan: planFor(`${plannedBy} ${from + index}`) },
  }));
}

async function find(requestId: string): Promise<UnplannedRequest> {
  const request = await findUnplannedRequest(database.delivery, requestId);
  if (!request) throw new Error('The request is already planned');
  return request;
}

async function listNumbers(requestId: string, from = 0): Promise<number[]> {
  const items = await listUnplannedItems(database.delivery, { requestId, from, limit: 1_000 });
  return items.map(({ item }) => item);
}

async function readTargets(requestId: string): Promise<string[]> {
  const orderBy = [{ item: 'asc' as const }, { id: 'asc' as const }];
  const rows = await database.prisma.message.findMany({ where: { requestId }, orderBy });
  return rows.map(({ target }) => target);
}

async function countPlannedItems(requestId: string): Promise<number | undefined> {
  const { rows } = await database.delivery.query<{ count: number }>(
    `SELECT ${countPlanned('r')} AS count FROM request r WHERE r.id = $1`,
    [requestId],
  );
  return rows[0]?.count;
}

async function unplannedItems(requestId: string): Promise<number[]> {
  const { rows } = await database.delivery.query<{ item: number }>(
    `SELECT item FROM request_item i JOIN request r ON r.id = i.request_id
     WHERE r.id = $1 AND NOT ${isPlanned('i', 'r')} ORDER BY item`,
    [requestId],
  );
  return rows.map(({ item }) => item);
}

/** Plans like an older version: sets each item's own time, and writes messages only where there is none. */
async function planAsBefore(client: pg.Pool, requestId: string, from: number, to: number) {
  await client.query(
    `WITH p AS (
       UPDATE request_item i SET planned_at = now()
       WHERE i.request_id = $1 AND i.item >= $2 AND i.item < $3 AND i.planned_at IS NULL RETURNING i.item
     ), m AS (
       INSERT INTO message (id, request_id, item, app_id, channel, target, due_at, expires_at)
       SELECT gen_random_uuid(), $1, item, $4, 'sms', 'me ' || item, now(), now() + interval '1 hour' FROM p
       ON CONFLICT (request_id, item, channel, target, generation) DO NOTHING
     )
     UPDATE request SET planned_items = planned_items + (SELECT count(*) FROM p) WHERE id = $1`,
    [requestId, from, to, tenant.appId],
  );
}

const all = Array.from({ length: itemCount }, (_, item) => item);
const targets = (by = 'me') => all.map((item) => `${by} ${item}`);

describe('writePlans', () => {
  test('writes chunk by chunk and advances the request', async () => {
    const id = await writeBulk();
    const first = { from: 0, to: 4, items: createItems(0, 4) };
    expect(await writePlans(database.hot, await find(id), first)).toBe(true);
    expect(await countPlannedItems(id)).toBe(4);
    expect(await unplannedItems(id)).toEqual(all.slice(4));
    const next = { requestId: id, from: 4, limit: 3 };
    const listed = await listUnplannedItems(database.delivery, next);
    expect(listed.map(({ item }) => item)).toEqual([4, 5, 6]);
    const rest = { from: 4, to: itemCount, items: createItems(4, itemCount) };
    expect(await writePlans(database.hot, await find(id), rest)).toBe(true);
    expect(await findUnplannedRequest(database.delivery, id)).toBeUndefined();
    expect(await countPlannedItems(id)).toBe(itemCount);
    expect(await unplannedItems(id)).toEqual([]);
    expect(await readTargets(id)).toEqual(targets());
  });

  test('writes a chunk once if two workers plan it at the same time', async () => {
    const id = await writeBulk();
    const request = await find(id);
    const holder = await database.delivery.connect();
    const write = (by: string) =>
      writePlans(database.hot, request, { from: 0, to: 6, items: createItems(0, 6, by) });
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM request WHERE id = $1 FOR UPDATE', [id]);
      const both = Promise.all([write('one'), write('other')]);
      await untilWaiting(2);
      await holder.query('ROLLBACK');
      const results = await both;
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await readTargets(id)).toEqual(targets(results[0] ? 'one' : 'other').slice(0, 6));
    } finally {
      holder.release();
    }
  });

  test('leaves items unchanged that planning does not change', async () => {
    const id = await writeBulk('de');
    const [silent, sameLocale, otherLocale, skipped] = createItems(0, 4).map((each) => ({
      ...each,
      locale: 'de',
    }));
    const skips = { email: { reason: 'no_address' as const, detail: 'None.' } };
    const items = [
      silent!,
      { ...sameLocale!, plan: { ...sameLocale!.plan, locale: 'de' } },
      { ...otherLocale!, plan: { ...otherLocale!.plan, locale: 'fr' } },
      { ...skipped!, plan: { ...skipped!.plan, skips } },
    ];
    const versions = async () => {
      const { rows } = await database.delivery.query<{ xmin: string }>(
        'SELECT xmin FROM request_item WHERE request_id = $1 ORDER BY item',
        [id],
      );
      return rows.map(({ xmin }) => xmin);
    };
    const before = await versions();
    expect(await writePlans(database.hot, await find(id), { from: 0, to: 4, items })).toBe(true);
    const after = await versions();
    expect(all.filter((item) => before[item] !== after[item])).toEqual([2, 3]);
    const rows = await database.prisma.requestItem.findMany({
      where: { requestId: id, item: { in: [2, 3] } },
      orderBy: { item: 'asc' },
    });
    expect(rows).toMatchObject([
      { locale: 'fr', skips: null },
      { locale: 'de', skips },
    ]);
  });

  test('writes nothing if an item was planned out of order since the request was read', async () => {
    const id = await writeBulk();
    const request = await find(id);
    await planAsBefore(database.delivery, id, 7, 8);
    const chunk = { from: 0, to: itemCount, items: createItems(0, itemCount) };
    expect(await writePlans(database.hot, request, chunk)).toBe(false);
    expect(await readTargets(id)).toEqual(['me 7']);
    expect(await listNumbers(id)).toEqual(all.filter((item) => item !== 7));
  });
});

describe('a request planned by two versions', () => {
  test('is completed after an older version planned half of it, each item once', async () => {
    const id = await writeBulk();
    await planAsBefore(database.delivery, id, 0, 5);
    const request = await find(id);
    expect(await listNumbers(id, request.plannedTo)).toEqual(all.slice(5));
    const chunk = { from: request.plannedTo, to: itemCount, items: createItems(5, itemCount) };
    expect(await writePlans(database.hot, request, chunk)).toBe(true);
    expect(await unplannedItems(id)).toEqual([]);
    expect(await findUnplannedRequest(database.delivery, id)).toBeUndefined();
    expect(await readTargets(id)).toEqual(targets());
  });

  test('stays unplanned until an older version that continues it is at its end', async () => {
    const id = await writeBulk();
    const first = { from: 0, to: 5, items: createItems(0, 5) };
    expect(await writePlans(database.hot, await find(id), first)).toBe(true);
    // The older version starts at the front and may stop there, so the rest must still be found.
    await planAsBefore(database.delivery, id, 0, 5);
    const request = await find(id);
    expect(await listNumbers(id, request.plannedTo)).toEqual(all.slice(5));
    await planAsBefore(database.delivery, id, 5, itemCount);
    expect(await findUnplannedRequest(database.delivery, id)).toBeUndefined();
    expect(await readTargets(id)).toEqual(targets());
  });
});

/** Uses another connection: within a transaction PostgreSQL caches pg_stat_activity. */
async function untilWaiting(count: number): Promise<void> {
  await eventually(async () => {
    const { rows } = await database.lookUps.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%planned_to%'`,
    );
    expect(rows).toHaveLength(count);
  });
}
