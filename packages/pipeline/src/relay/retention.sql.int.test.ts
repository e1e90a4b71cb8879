import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  openDatabase,
  ownDatabase,
  type Tenant,
} from '@belfry/testing';
import { writeKeyAlone } from '../accept/idempotency.sql';
import { writeCaptures } from '../deliver/capture.sql';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { createRequestRemoval } from './remove-requests.sql';
import { createUpkeepTasks } from './retention.sql';
import { withUpkeepLock } from './retention-lock';

jest.setTimeout(60_000);

const dayMs = 24 * 60 * 60_000;
const retentionDays = 30;

// A database of its own, because upkeep removes old rows of all tests.
let database: Database;
let dropDatabase: () => Promise<void>;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 4 });
  dropDatabase = async () => {
    await database.close();
    await own.drop();
  };
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterAll(() => dropDatabase());

/** A request with one sent message and its receipt. */
async function writeSent(ageDays: number): Promise<{ requestId: string; messageId: string }> {
  const texts = { metadata: { order: newId() }, cancelKey: 'a' };
  const messageId = await writeMessageRow({ database, tenant, event }, texts);
  await claimMessageRow({ database }, messageId);
  await recordResults(database.delivery, [resultFor(messageId, {})]);
  const { requestId } = await database.prisma.message.findUniqueOrThrow({
    where: { id: messageId },
  });
  await database.prisma.receipt.create({
    data: {
      id: newId(),
      appId: tenant.appId,
      integrationId: newId(),
      messageId,
      state: 'delivered',
      body: '{}',
    },
  });
  await age('request', requestId, ageDays);
  return { requestId, messageId };
}

async function age(table: string, id: string, days: number): Promise<void> {
  await database.delivery.query(
    `UPDATE ${table} SET created_at = now() - $2::float8 * interval '1 ms' WHERE id = $1`,
    [id, days * dayMs],
  );
}

async function runAll(): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  await withUpkeepLock(database.delivery, async (client) => {
    for (const task of createUpkeepTasks({ retentionDays })) {
      removed[task.name] = 0;
      for (let mayBeMore = true; mayBeMore; ) {
        const chunk = await task.removeChunk(client);
        removed[task.name] = (removed[task.name] ?? 0) + chunk.removed;
        mayBeMore = chunk.mayBeMore;
      }
    }
  });
  return removed;
}

const countRows = async () => ({
  requests: await database.prisma.request.count(),
  items: await database.prisma.requestItem.count(),
  terms: await database.prisma.requestTerm.count(),
  messages: await database.prisma.message.count(),
  attempts: await database.prisma.attempt.count(),
  receipts: await database.prisma.receipt.count(),
});

const has = async (requestId: string) =>
  (await database.prisma.request.findUnique({ where: { id: requestId } })) !== null;

describe('upkeep of requests', () => {
  test('removes an old request whose messages are final, with all its rows', async () => {
    await runAll();
    const before = await countRows();
    const { requestId } = await writeSent(retentionDays + 0.01);
    const young = await writeSent(retentionDays - 0.01);
    expect(await runAll()).toMatchObject({ request: 1 });
    expect(await has(requestId)).toBe(false);
    expect(await has(young.requestId)).toBe(true);
    const one = { requests: 1, items: 1, terms: 2, messages: 1, attempts: 1, receipts: 1 };
    const after = await countRows();
    const names = ['requests', 'items', 'terms', 'messages', 'attempts', 'receipts'] as const;
    for (const name of names) expect(after[name] - before[name]).toBe(one[name]);
  });

  test('removes a request that fan-out planned in order, and none that it is still planning', async () => {
    const [planned, half] = [await writeSent(400), await writeSent(400)];
    for (const [{ requestId }, plannedTo] of [
      [planned, 1],
      [half, 0],
    ] as const) {
      await database.delivery.query(
        'UPDATE request_item SET planned_at = NULL WHERE request_id = $1',
        [requestId],
      );
      await database.delivery.query('UPDATE request SET planned_to = $2 WHERE id = $1', [
        requestId,
        plannedTo,
      ]);
    }
    await runAll();
    expect(await has(planned.requestId)).toBe(false);
    expect(await has(half.requestId)).toBe(true);
  });

  test.each([
    [
      'a message is queued',
      `UPDATE message SET state = 'queued', due_at = now() + interval '90 days' WHERE id = $1`,
    ],
    [
      'a message is queued without a time',
      `UPDATE message SET state = 'queued', due_at = NULL WHERE id = $1`,
    ],
    [
      'a message is being sent',
      `UPDATE message SET state = 'sending', due_at = now() WHERE id = $1`,
    ],
    [
      'a message will be resent',
      `UPDATE message SET state = 'unknown', due_at = now() WHERE id = $1`,
    ],
    [
      'an item is still to be planned',
      'UPDATE request_item SET planned_at = NULL WHERE request_id = (SELECT request_id FROM message WHERE id = $1)',
    ],
    [
      'items are still to be counted',
      'UPDATE request SET planned_items = items - 1 WHERE id = (SELECT request_id FROM message WHERE id = $1)',
    ],
  ])('keeps a request, however old, while %s', async (_what, change) => {
    const { requestId, messageId } = await writeSent(400);
    await database.delivery.query(change, [messageId]);
    await runAll();
    expect(await has(requestId)).toBe(true);
  });

  test('continues past requests that are not final, chunk by chunk', async () => {
    await database.delivery.query("UPDATE request SET created_at = now() - interval '2 days'");
    const requests = [];
    for (let index = 0; index < 5; index += 1) requests.push(await writeSent(60));
    const [first] = requests;
    await database.delivery.query(`UPDATE message SET state = 'queued' WHERE id = $1`, [
      first?.messageId,
    ]);
    const removal = createRequestRemoval({ olderThanMs: dayMs, chunk: 2 });
    const client = await database.delivery.connect();
    try {
      let chunks = 0;
      for (let mayBeMore = true; mayBeMore; chunks += 1) {
        ({ mayBeMore } = await removal.removeChunk(client));
      }
      expect(chunks).toBeGreaterThanOrEqual(3);
    } finally {
      client.release();
    }
    const storedFlags = await Promise.all(requests.map(({ requestId }) => has(requestId)));
    expect(storedFlags).toEqual([true, false, false, false, false]);
  });
});

describe('upkeep of captures', () => {
  async function capture(appId: string): Promise<string> {
    const messageId = newId();
    await writeCaptures(database.delivery, [
      {
        appId,
        messageId,
        attempt: 1,
        channel: 'email',
        provider: 'smtp',
        target: 'ana@example.com',
        content: '{}',
        request: '{}',
        outcome: 'accepted',
      },
    ]);
    return messageId;
  }

  test('keeps the newest 500 of an app', async () => {
    const { appId } = await createFactories(database).createTenant();
    const oldest = [await capture(appId), await capture(appId)];
    for (let index = 0; index < 500; index += 1) await capture(appId);
    await runAll();
    expect(await database.prisma.capture.count({ where: { appId } })).toBe(500);
    expect(await database.prisma.capture.count({ where: { messageId: { in: oldest } } })).toBe(0);
  });

  test('removes captures older than 7 days', async () => {
    const [old, young] = [await capture(tenant.appId), await capture(tenant.appId)];
    for (const [messageId, days] of [
      [old, 7.01],
      [young, 6.99],
    ] as const) {
      const { id } = await database.prisma.capture.findFirstOrThrow({ where: { messageId } });
      await age('capture', id, days);
    }
    await runAll();
    const remainingCaptures = await database.prisma.capture.findMany({
      where: { messageId: { in: [old, young] } },
    });
    expect(remainingCaptures.map(({ messageId }) => messageId)).toEqual([young]);
  });
});

describe('upkeep', () => {
  test('finds old rows even if there are more newer rows than one chunk removes', async () => {
    const { appId } = tenant;
    const old = newId();
    const item = { appId, userId: 'many', content: {} };
    await database.prisma.inboxItem.create({ data: { ...item, id: old, messageId: newId() } });
    await age('inbox_item', old, 91);
    const young = Array.from({ length: 5_001 }, () => ({
      ...item,
      id: newId(),
      messageId: newId(),
    }));
    await database.prisma.inboxItem.createMany({ data: young });
    await runAll();
    expect(await database.prisma.inboxItem.findUnique({ where: { id: old } })).toBeNull();
    const { count } = await database.prisma.inboxItem.deleteMany({ where: { userId: 'many' } });
    expect(count).toBe(young.length);
  });

  test('removes inbox items after 90 days', async () => {
    const ids = [newId(), newId()];
    for (const id of ids) {
      await database.prisma.inboxItem.create({
        data: { id, appId: tenant.appId, userId: 'ana', messageId: newId(), content: {} },
      });
    }
    await age('inbox_item', ids[0] ?? '', 90.01);
    await age('inbox_item', ids[1] ?? '', 89.99);
    await runAll();
    const remainingItems = await database.prisma.inboxItem.findMany({ where: { id: { in: ids } } });
    expect(remainingItems.map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('removes receipts without a message after the retention period, and none with a message', async () => {
    const { messageId } = await writeSent(1);
    const write = async (ageDays: number, receiptMessageId: string | null) => {
      const data = { appId: tenant.appId, integrationId: newId(), state: 'sent', body: '{}' };
      const receivedAt = new Date(Date.now() - ageDays * dayMs);
      const row = { ...data, id: newId(), messageId: receiptMessageId, receivedAt };
      return (await database.prisma.receipt.create({ data: row })).id;
    };
    const removed = await write(retentionDays + 0.01, null);
    const keptIds = [
      await write(retentionDays - 0.01, null),
      await write(retentionDays + 0.01, messageId),
    ];
    expect(await runAll()).toMatchObject({ 'receipt without message': 1 });
    const remainingReceipts = await database.prisma.receipt.findMany({
      where: { id: { in: [removed, ...keptIds] } },
    });
    expect(remainingReceipts.map(({ id }) => id).sort()).toEqual(keptIds.sort());
  });

  test('removes idempotency keys after one day', async () => {
    const hash = Buffer.from(newId());
    await writeKeyAlone(database.accepting, {
      accountId: tenant.accountId,
      requestId: newId(),
      key: { hash, fingerprint: hash, ringKeyId: 'test', status: 500 },
      body: '{}',
    });
    expect(await runAll()).toMatchObject({ idempotency_key: 0 });
    await database.delivery.query(
      "UPDATE idempotency_key SET first_seen = now() - interval '24 hours 1 second' WHERE key_hash = $1",
      [hash],
    );
    expect(await runAll()).toMatchObject({ idempotency_key: 1 });
  });

  test('runs in one process at a time, and in another one after it, even after a failure', async () => {
    const runs: string[] = [];
    const isFirst = await withUpkeepLock(database.delivery, async () => {
      runs.push('first');
      const isSecond = await withUpkeepLock(database.delivery, async () => {
        runs.push('second');
      });
      expect(isSecond).toBe(false);
    });
    expect(isFirst).toBe(true);
    const failed = withUpkeepLock(database.delivery, () => Promise.reject(new Error('broken')));
    await expect(failed).rejects.toThrow('broken');
    // PostgreSQL frees the lock when it notices that the connection is gone.
    await eventually(async () => {
      const isThird = await withUpkeepLock(database.delivery, async () => {
        runs.push('third');
      });
      expect(isThird).toBe(true);
    });
    expect(runs).toEqual(['first', 'third']);
  });
});
