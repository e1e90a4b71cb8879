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
import type { InboxAddress } from './inbox-item.sql';
import {
  type InboxNews,
  type InboxProgress,
  listChangedReaders,
  readInboxNews,
} from './inbox-pages.sql';

const writers = 8;
let database: Database;
let tenant: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: writers + 2 });
  tenant = await createFactories(database).createTenant();
});

afterAll(() => database.close());

function createReader(name: string): InboxAddress {
  return { appId: tenant.appId, userId: `${name}-${newId()}` };
}

type Client = Pick<pg.PoolClient, 'query'>;

/** One statement for items of several readers, in this order. Returns the IDs of the items. */
async function insert(client: Client, readers: InboxAddress[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO inbox_item (id, app_id, user_id, message_id, content)
     SELECT gen_random_uuid(), app_id, user_id, gen_random_uuid(), '{}'
     FROM unnest($1::uuid[], $2::text[]) r (app_id, user_id) RETURNING id`,
    [readers.map(({ appId }) => appId), readers.map(({ userId }) => userId)],
  );
  return rows.map(({ id }) => id);
}

/** A transaction that stays open for a random time after its work, so that commits are in another order than inserts. */
async function inTransaction(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = await database.delivery.connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('SELECT pg_sleep(random() * 0.01)');
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

const fromStart = { arrived: 0, changed: 0 };

const limit = 7;

type KnownItem = { readAtMs: number | null; events: number };

/** A reader that has an item only if an arrival brought it, and its state only from the last change. */
function createFollower(reader: InboxAddress) {
  const items = new Map<string, KnownItem>();
  let progress: InboxProgress = { ...fromStart };

  function addChanges(changes: InboxNews['changes']): void {
    for (const { item, arrived } of changes) {
      if (arrived > progress.arrived) continue;
      const before = items.get(item.messageId);
      if (!before) throw new Error('The state of an item came before the item');
      items.set(item.messageId, { ...before, readAtMs: item.readAtMs });
    }
  }

  function addArrivals(arrivals: InboxNews['arrivals']): void {
    for (const { item } of arrivals) {
      const events = (items.get(item.messageId)?.events ?? 0) + 1;
      items.set(item.messageId, { readAtMs: item.readAtMs, events });
    }
  }

  return {
    items,
    async follow() {
      const news = await readInboxNews(database.lookUps, { ...reader, after: progress, limit });
      const { changes, arrivals, lastChange } = news;
      addChanges(changes);
      if (changes.length === limit) {
        progress = { ...progress, changed: changes.at(-1)?.changed ?? 0 };
        return;
      }
      addArrivals(arrivals);
      const isCut = arrivals.length === limit;
      const arrived = (isCut ? arrivals.at(-1)?.arrived : undefined) ?? lastChange;
      progress = { arrived, changed: lastChange };
    },
  };
}

describe('the numbers of changes', () => {
  test('let a reader that polls miss nothing and see nothing twice, while 8 writers insert and change', async () => {
    const reader = createReader('race');
    const follower = createFollower(reader);
    const transactionsOfWriter = 40;
    let isDone = false;
    const following = (async () => {
      while (!isDone) await follower.follow();
    })();
    await Promise.all(
      Array.from({ length: writers }, async () => {
        for (let number = 0; number < transactionsOfWriter; number += 1) {
          await inTransaction(async (client) => {
            const [id] = await insert(client, [reader, reader]);
            const isRead = Math.random() < 0.5;
            const text = 'UPDATE inbox_item SET read_at = now() WHERE id = $1';
            if (isRead) await client.query(text, [id]);
          });
        }
      }),
    ).finally(() => {
      isDone = true;
    });
    await following;
    await eventually(async () => {
      await follower.follow();
      const stored = await database.prisma.inboxItem.findMany({ where: reader });
      const expected = stored.map((item) => [item.messageId, item.readAt?.getTime() ?? null]);
      expect([...follower.items].map(([id, { readAtMs }]) => [id, readAtMs]).sort()).toEqual(
        expected.sort(),
      );
    });
    const counts = new Set([...follower.items.values()].map(({ events }) => events));
    expect(follower.items.size).toBe(writers * transactionsOfWriter * 2);
    expect(counts).toEqual(new Set([1]));
  }, 60_000);

  test('grow by one with each insert and each change of a state, and with nothing else', async () => {
    const reader = createReader('numbers');
    const [first = '', second = ''] = await insert(database.delivery, [reader, reader]);
    const readNumbers = async (id: string) => {
      const { arrived, changed } = await database.prisma.inboxItem.findUniqueOrThrow({
        where: { id },
      });
      return [Number(arrived), Number(changed)] as const;
    };
    const [start] = await readNumbers(first);
    expect(await readNumbers(second)).toEqual([start + 1, start + 1]);
    const update = (set: string) =>
      database.delivery.query(`UPDATE inbox_item SET ${set} WHERE id = $1`, [first]);
    await update('seen_at = now()');
    expect(await readNumbers(first)).toEqual([start, start + 2]);
    await update(`content = '{"a":1}', created_at = now()`);
    await update('seen_at = seen_at');
    expect(await readNumbers(first)).toEqual([start, start + 2]);
    await update('archived_at = now()');
    expect(await readNumbers(first)).toEqual([start, start + 3]);
  });

  test('continue above the old ones for a reader who was erased and comes back', async () => {
    const reader = createReader('erased');
    await insert(
      database.delivery,
      Array.from({ length: 50 }, () => reader),
    );
    const { lastChange } = await readInboxNews(database.lookUps, {
      ...{ ...reader, limit: 1 },
      after: fromStart,
    });
    await database.prisma.inboxItem.deleteMany({ where: reader });
    await database.prisma.inboxReader.deleteMany({ where: reader });
    await eventually(() => expect(Date.now()).toBeGreaterThan(lastChange));
    await insert(database.delivery, [reader]);
    const news = await readInboxNews(database.lookUps, {
      ...{ ...reader, limit: 9 },
      after: { arrived: lastChange, changed: lastChange },
    });
    expect(news.arrivals).toHaveLength(1);
  });

  test('of a reader are found by a poll of many readers', async () => {
    const readers = [createReader('a'), createReader('b'), createReader('c')];
    await insert(database.delivery, readers.slice(0, 2));
    const poll = (after: number) =>
      listChangedReaders(
        database.lookUps,
        readers.map((reader) => ({ ...reader, after })),
      );
    const changed = await poll(0);
    expect(changed.map(({ userId }) => userId).sort()).toEqual(
      readers.slice(0, 2).map(({ userId }) => userId),
    );
    expect(await poll(Number.MAX_SAFE_INTEGER)).toEqual([]);
  });
});

describe('a gateway from before the numbers', () => {
  test('writes only the status, and the times follow it', async () => {
    const reader = createReader('old-gateway');
    const [id = ''] = await insert(database.delivery, [reader]);
    const statements = [
      `UPDATE inbox_item SET status = 'READ', read_at = coalesce(read_at, now()) WHERE id = $1`,
      `UPDATE inbox_item SET status = 'UNREAD', read_at = read_at WHERE id = $1`,
      `UPDATE inbox_item SET status = 'ARCHIVE', read_at = read_at WHERE id = $1`,
    ];
    const states: unknown[] = [];
    for (const statement of statements) {
      await database.delivery.query(statement, [id]);
      const item = await database.prisma.inboxItem.findUniqueOrThrow({ where: { id } });
      states.push([item.status, item.readAt !== null, item.archivedAt !== null]);
    }
    expect(states).toEqual([
      ['READ', true, false],
      ['UNREAD', false, false],
      ['ARCHIVE', false, true],
    ]);
  });
});
