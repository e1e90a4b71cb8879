import { randomBytes } from 'node:crypto';
import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  ownDatabase,
  type Tenant,
} from '@belfry/testing';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { createRequestRemoval } from '../relay/remove-requests.sql';
import { withStorageLock } from '../relay/retention-lock';
import {
  countStorage,
  findAccountStorage,
  listLimitedAccounts,
  readStorageTotals,
  setStorageLimit,
} from './account-storage.sql';

jest.setTimeout(60_000);

const hugeLimitMb = 1_000_000;
const options = {
  sliceRows: 10,
  cutsPerRun: 1_000,
  remeasuresPerRun: 1_000,
  remeasureAfterMs: 0,
};

// A database of its own, because the count covers all rows.
let database: Database;
let dropDatabase: () => Promise<void>;
let tenant: Tenant;
let other: Tenant;
let event: { eventId: string; versionId: string };

const tables = [
  ...[
    'attempt',
    'message',
    'request_term',
    'request_item',
    'request',
    'receipt',
    'capture',
    'inbox_item',
    'device',
  ],
  ...[
    'app_user',
    'idempotency_key',
    'storage_slice',
    'event_version',
    'event',
    'app',
    'api_key',
    'audit_entry',
    'account',
  ],
];

beforeAll(async () => {
  const own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 4 });
  dropDatabase = async () => {
    await database.close();
    await own.drop();
  };
});
afterAll(() => dropDatabase());

beforeEach(async () => {
  // In this order because of foreign keys; TRUNCATE would take a second each time.
  for (const table of tables) await query(`DELETE FROM ${table}`);
  const factories = createFactories(database);
  [tenant, other] = [await factories.createTenant(), await factories.createTenant()];
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

const count = (changes: Partial<typeof options> = {}, defaultLimitMb = hugeLimitMb) =>
  countStorage(database.delivery, { defaultLimitMb }, { ...options, ...changes });

async function read({ accountId }: Tenant, defaultLimitMb = hugeLimitMb) {
  const [account] = await findAccountStorage(database.delivery, { defaultLimitMb }, accountId);
  return account!;
}

const storedBytes = async (of: Tenant) => (await read(of)).storedBytes;

/** Text that PostgreSQL cannot compress. */
const randomText = (bytes: number) => randomBytes(bytes).toString('base64').slice(0, bytes);

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await database.delivery.query<Row>(text, values)).rows;
}

async function writeMessages(number: number, of = tenant): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < number; index += 1) {
    ids.push(await writeMessageRow({ database, tenant: of, event }, {}));
  }
  return ids;
}

/** Counts all rows in one slice; returns the difference from the incremental sum. */
async function recount(of: Tenant): Promise<number> {
  const incrementalBytes = await storedBytes(of);
  await query('DELETE FROM storage_slice');
  await query('UPDATE account SET stored_bytes = 0');
  await count({ sliceRows: 1_000_000 });
  const counted = await storedBytes(of);
  expect(await query('SELECT FROM storage_slice')).toHaveLength(1);
  return counted - incrementalBytes;
}

const text = 10_000;
const growths: [table: string, grow: () => Promise<unknown>][] = [
  [
    'request_item',
    () => writeMessageRow({ database, tenant, event }, { override: { a: randomText(text) } }),
  ],
  [
    'the metadata of a request_item',
    () => writeMessageRow({ database, tenant, event }, { metadata: { a: randomText(text) } }),
  ],
  [
    'attempt',
    async () => {
      const id = await writeMessageRow({ database, tenant, event }, {});
      await claimMessageRow({ database }, id);
      await recordResults(database.delivery, [resultFor(id, { request: randomText(text) })]);
    },
  ],
  [
    'message',
    async () => {
      const [id] = await writeMessages(1);
      await query('UPDATE message SET notes = $2 WHERE id = $1', [id, { a: randomText(text) }]);
    },
  ],
  [
    'receipt',
    () =>
      database.prisma.receipt.create({
        data: { id: newId(), appId: tenant.appId, state: 'sent', body: randomText(text) },
      }),
  ],
  [
    'capture',
    () =>
      database.prisma.capture.create({
        data: {
          id: newId(),
          appId: tenant.appId,
          messageId: newId(),
          attempt: 1,
          channel: 'sms',
          provider: 'twilio',
          target: 'x',
          content: randomText(text),
          request: {},
          outcome: 'accepted',
        },
      }),
  ],
  [
    'inbox_item',
    () =>
      database.prisma.inboxItem.create({
        data: {
          id: newId(),
          appId: tenant.appId,
          userId: 'ana',
          messageId: newId(),
          content: randomText(text),
        },
      }),
  ],
  ['app_user', () => createUser(randomText(text))],
  [
    'device',
    async () => {
      const { id: userSid } = await createUser('');
      const fields = { a: randomText(text) };
      const data = { id: newId(), appId: tenant.appId, userSid, fields };
      await database.prisma.device.create({ data });
    },
  ],
  [
    'idempotency_key',
    () =>
      database.prisma.idempotencyKey.create({
        data: {
          accountId: tenant.accountId,
          keyHash: randomBytes(32),
          fingerprint: randomBytes(32),
          ringKeyId: 'k1',
          requestId: newId(),
          status: 200,
          body: randomText(text),
        },
      }),
  ],
];

function createUser(note: string) {
  const data = { id: newId(), appId: tenant.appId, userId: newId(), contact: { note } };
  return database.prisma.user.create({ data });
}

describe('the storage of an account', () => {
  test.each(growths)('counts %s, for this account only', async (_table, grow) => {
    await count();
    const [own, others] = [await storedBytes(tenant), await storedBytes(other)];
    await grow();
    await count();
    const grown = (await storedBytes(tenant)) - own;
    expect(grown).toBeGreaterThan(text);
    expect(grown).toBeLessThan(text + 4_000);
    expect(await storedBytes(other)).toBe(others);
  });

  test('counts compressed values by their compressed size', async () => {
    await createUser('a'.repeat(100_000));
    await count();
    expect(await storedBytes(tenant)).toBeLessThan(10_000);
  });

  test('is within 40 % of the disk size of tables and indexes', async () => {
    const [id, app, account] = [
      "(lpad(to_hex(1764000000000 + g), 12, '0') || '7' || lpad(to_hex(g), 19, '0'))::uuid",
      tenant.appId,
      tenant.accountId,
    ];
    const many = 'FROM generate_series(1, 5000) g';
    await query(
      `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
       SELECT ${id}, $2, $1, $1, $1, 'single', 1, 1 ${many}`,
      [app, account],
    );
    await query(
      `INSERT INTO request_item (request_id, item, recipient, data)
       SELECT ${id}, 0, md5(g::text), repeat(md5(g::text), 10) ${many}`,
    );
    await query(
      `INSERT INTO request_term (app_id, term, request_id)
       SELECT $1, md5(g::text || n)::uuid, ${id} ${many} CROSS JOIN generate_series(1, 3) n`,
      [app],
    );
    await query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, expires_at, due_at)
       SELECT ${id}, ${id}, 0, $1, 'email', md5(g::text), now(), now() ${many}`,
      [app],
    );
    await query("UPDATE message SET state = 'sent', due_at = NULL, attempts = 1");
    await query(
      `INSERT INTO attempt (message_id, number, request, response)
       SELECT ${id}, 1, repeat(md5(g::text), 5), md5(g::text) ${many}`,
    );
    await count({ sliceRows: 1_000 });
    const [disk] = await query<{ bytes: number }>(
      `SELECT sum(pg_total_relation_size(t::regclass))::float8 AS bytes
       FROM unnest(ARRAY['request', 'request_item', 'request_term', 'message', 'attempt']) t`,
    );
    const share = (await storedBytes(tenant)) / disk!.bytes;
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(1.4);
  });

  test('is corrected by a new count if a sum was wrong', async () => {
    for (let round = 0; round < 4; round += 1) {
      await writeMessages(15);
      await count();
    }
    expect(await recount(tenant)).toBe(0);
  });
});

describe('a run of the count', () => {
  const slices = () =>
    query<{ from_at: Date; measured_at: Date }>('SELECT * FROM storage_slice ORDER BY from_at');

  test('reads only the last slice if the others were measured recently', async () => {
    const notAgain = { remeasureAfterMs: 60 * 60_000 };
    await writeMessages(55);
    await count(notAgain);
    const before = await slices();
    expect(before.length).toBeGreaterThan(4);
    await writeMessages(1);
    await count(notAgain);
    const after = await slices();
    const again = after.filter(
      ({ measured_at: at }, index) => at.getTime() !== before[index]?.measured_at.getTime(),
    );
    expect(again).toEqual([after.at(-1)]);
  });

  test('cuts a limited number of slices, and later runs continue until all is counted', async () => {
    await writeMessages(55);
    const notAgain = { cutsPerRun: 2, remeasureAfterMs: 60 * 60_000 };
    const sizes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await count(notAgain);
      sizes.push(await storedBytes(tenant));
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(sizes[0]).toBeLessThan(sizes.at(-1)! / 2);
    expect(await recount(tenant)).toBe(0);
  });

  test('finds rows that were removed, grew or were committed late in an older slice', async () => {
    const late = newId();
    const ids = await writeMessages(45);
    await count();
    await query('DELETE FROM message WHERE id = ANY ($1)', [ids.slice(0, 20)]);
    await query('UPDATE message SET notes = $2 WHERE id = $1', [ids[30], { a: randomText(5_000) }]);
    await query(
      `INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
       VALUES ($1, $2, $3, $3, $3, 'single', 1, 1)`,
      [late, tenant.accountId, tenant.appId],
    );
    await count();
    expect(await recount(tenant)).toBe(0);
  });

  test('keeps no empty slice', async () => {
    await writeMessages(45);
    await count();
    await query('DELETE FROM message');
    await query('DELETE FROM request_item');
    await query('DELETE FROM request');
    await count();
    await count();
    expect((await slices()).length).toBeLessThanOrEqual(2);
    expect(await storedBytes(tenant)).toBe(0);
  });

  test('counts nothing while no account has a limit', async () => {
    await writeMessages(3);
    await count({}, 0);
    expect(await slices()).toEqual([]);
  });

  test('is left to one relay if two run', async () => {
    let isSecond: boolean | undefined;
    await withStorageLock(database.delivery, async () => {
      isSecond = await withStorageLock(database.delivery, async () => undefined);
    });
    expect(isSecond).toBe(false);
  });
});

describe('an account over its limit', () => {
  const limitBytes = 20_000;
  const fill = async () => {
    await createUser(randomText(limitBytes));
    await count();
  };

  test('is full after one run, and no other account is', async () => {
    await setStorageLimit(database.delivery, tenant.accountId, limitBytes);
    await setStorageLimit(database.delivery, other.accountId, limitBytes);
    await count();
    expect(await read(tenant)).toMatchObject({ isFull: false, limitBytes });
    await fill();
    expect(await read(tenant)).toMatchObject({ isFull: true, limitBytes });
    expect((await read(other)).isFull).toBe(false);
  });

  test.each([
    ['a higher limit', limitBytes * 3],
    ['no limit', 0],
    ['the default limit', null],
  ])('is no longer full with %s', async (_what, next) => {
    await setStorageLimit(database.delivery, tenant.accountId, limitBytes);
    await fill();
    await setStorageLimit(database.delivery, tenant.accountId, next);
    await count();
    expect((await read(tenant)).isFull).toBe(false);
  });

  test('is no longer full if no account has a limit', async () => {
    await setStorageLimit(database.delivery, tenant.accountId, limitBytes);
    await fill();
    await setStorageLimit(database.delivery, tenant.accountId, null);
    await count({}, 0);
    expect((await read(tenant)).isFull).toBe(false);
  });

  test('is full by the default limit, too', async () => {
    await createUser(randomText(1_100_000));
    await count({}, 1);
    expect(await read(tenant, 1)).toMatchObject({ isFull: true, limitBytes: 1_000_000 });
  });

  test('is no longer full in the next run after retention removed its requests', async () => {
    await setStorageLimit(database.delivery, tenant.accountId, limitBytes);
    const notAgain = { remeasureAfterMs: 60 * 60_000 };
    await writeMessages(20);
    await count(notAgain);
    await writeMessages(20, other);
    await count(notAgain);
    expect((await read(tenant)).isFull).toBe(true);
    await query("UPDATE message SET state = 'sent', due_at = NULL, settled_at = now()");
    await query(
      "UPDATE request SET created_at = now() - interval '31 days' WHERE account_id = $1",
      [tenant.accountId],
    );
    const removal = createRequestRemoval({ retentionDays: 30, chunk: 8 });
    for (let mayBeMore = true; mayBeMore; ) {
      ({ mayBeMore } = await withClient((client) => removal.removeChunk(client)));
    }
    await count(notAgain);
    expect(await read(tenant)).toMatchObject({ isFull: false, storedBytes: 0 });
    expect(await storedBytes(other)).toBeGreaterThan(0);
  });

  test('is in the totals and first in the list', async () => {
    await setStorageLimit(database.delivery, tenant.accountId, limitBytes);
    await fill();
    await writeMessages(1, other);
    await count();
    const limit = { defaultLimitMb: 1 };
    const { storedBytes, isFull } = await read(tenant);
    expect(isFull).toBe(true);
    const totals = await readStorageTotals(database.delivery, limit);
    expect(totals).toMatchObject({ fullAccounts: 1, highestShare: storedBytes / limitBytes });
    expect(totals.storedBytes).toBeGreaterThan(storedBytes);
    const listed = await listLimitedAccounts(database.delivery, limit, 20);
    expect(listed.map(({ id }) => id)).toEqual([tenant.accountId, other.accountId]);
    expect(await listLimitedAccounts(database.delivery, limit, 1)).toHaveLength(1);
    const unlimited = await readStorageTotals(database.delivery, { defaultLimitMb: 0 });
    expect(unlimited.highestShare).toBe(storedBytes / limitBytes);
  });
});

async function withClient<T>(work: (client: import('pg').PoolClient) => Promise<T>): Promise<T> {
  const client = await database.delivery.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
