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
type Owner = { tenant: Tenant; event: { eventId: string; versionId: string } };
let tenant: Owner['tenant'];
let event: Owner['event'];

beforeAll(async () => {
  const own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 4 });
  dropDatabase = async () => {
    await database.close();
    await own.drop();
  };
  ({ tenant, event } = await createOwner());
});

afterAll(() => dropDatabase());

/** An app with its own number of days. */
async function createOwner(days: number | null = null): Promise<Owner> {
  const factories = createFactories(database);
  const created = await factories.createTenant();
  await keepFor(created.appId, days);
  const email = channelVersion({ subject: 'x' });
  return { tenant: created, event: await factories.createEvent(created, { email }) };
}

async function keepFor(appId: string, days: number | null): Promise<void> {
  await database.prisma.app.update({ where: { id: appId }, data: { retentionDays: days } });
}

/** A request with one sent message and its receipt. */
async function writeSent(
  ageDays: number,
  owner: Owner = { tenant, event },
): Promise<{ requestId: string; messageId: string }> {
  const texts = { metadata: { order: newId() }, cancelKey: 'a' };
  const messageId = await writeMessageRow({ database, ...owner }, texts);
  await claimMessageRow({ database }, messageId);
  await recordResults(database.delivery, [resultFor(messageId, {})]);
  const { requestId } = await database.prisma.message.findUniqueOrThrow({
    where: { id: messageId },
  });
  await database.prisma.receipt.create({
    data: {
      id: newId(),
      appId: owner.tenant.appId,
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
    const owner = await createOwner();
    const { requestId } = await writeSent(retentionDays + 0.01, owner);
    const young = await writeSent(retentionDays - 0.01, owner);
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
    const removal = createRequestRemoval({ retentionDays: 1, chunk: 2 });
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

describe('the retention of an app', () => {
  /** Removes the old ones of these requests; returns what went with each chunk, and what each chunk locked. */
  async function removeAll(
    ids: string[],
    { chunk, onChunk = async () => undefined }: { chunk: number; onChunk?: () => Promise<void> },
  ) {
    // Requests of other tests would be in the same chunks.
    const others = 'UPDATE request SET created_at = now() WHERE NOT id = ANY ($1)';
    await database.delivery.query(others, [ids]);
    const removal = createRequestRemoval({ retentionDays, chunk });
    const client = await database.delivery.connect();
    const query = jest.spyOn(client, 'query');
    const chunks: string[][] = [];
    let left = ids;
    try {
      for (let mayBeMore = true; mayBeMore; ) {
        ({ mayBeMore } = await removal.removeChunk(client));
        const flags = await Promise.all(left.map(has));
        chunks.push(left.filter((_, index) => !flags[index]));
        left = left.filter((_, index) => flags[index]);
        await onChunk();
      }
      const sent = query.mock.calls.map(([text]) => text as { text?: string; values?: unknown[] });
      const locks = sent.filter(({ text }) => text?.includes('FOR UPDATE'));
      return { chunks, locked: locks.map(({ values = [] }) => values[0] as string[]) };
    } finally {
      query.mockRestore();
      client.release();
    }
  }

  const write = async (ageDays: number, owner: Owner) =>
    (await writeSent(ageDays, owner)).requestId;

  test('counts instead of that of the installation, be it shorter or longer', async () => {
    const [short, long, unset] = [await createOwner(2), await createOwner(60), await createOwner()];
    const removed = [await write(2.01, short), await write(60.01, long), await write(30.01, unset)];
    const kept = [await write(1.99, short), await write(59.99, long), await write(29.99, unset)];
    await runAll();
    expect(await Promise.all(removed.map(has))).toEqual([false, false, false]);
    expect(await Promise.all(kept.map(has))).toEqual([true, true, true]);
  });

  test('also removes the requests of a removed app', async () => {
    const owner = await createOwner(5);
    const requestId = await write(5.01, owner);
    const where = { id: owner.tenant.appId };
    await database.prisma.app.update({ where, data: { deletedAt: new Date() } });
    await runAll();
    expect(await has(requestId)).toBe(false);
  });

  test('removes the oldest requests first, over more apps than a chunk has requests', async () => {
    const owners: Owner[] = [];
    for (let index = 0; index < 5; index += 1) owners.push(await createOwner(10));
    const ids: string[][] = owners.map(() => []);
    for (let round = 0; round < 3; round += 1) {
      for (const [index, owner] of owners.entries()) ids[index]?.push(await write(11, owner));
    }
    const { chunks } = await removeAll(ids.flat(), { chunk: 2 });
    const order = chunks.flat();
    expect(order.length).toBe(15);
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(2);
    for (const own of ids) expect(order.filter((id) => own.includes(id))).toEqual(own);
  });

  test('looks once per run at a request that is not final, and removes those after it', async () => {
    const stuck: string[] = [];
    const final: string[] = [];
    for (const owner of [await createOwner(10), await createOwner(10)]) {
      for (let index = 0; index < 3; index += 1) {
        const { requestId, messageId } = await writeSent(11, owner);
        const queued = `UPDATE message SET state = 'queued' WHERE id = $1`;
        await database.delivery.query(queued, [messageId]);
        stuck.push(requestId);
      }
      final.push(await write(11, owner));
    }
    const { locked } = await removeAll([...stuck, ...final], { chunk: 2 });
    expect(locked.flat().sort()).toEqual([...stuck, ...final].sort());
    expect(await Promise.all(final.map(has))).toEqual([false, false]);
    expect(await Promise.all(stuck.map(has))).toEqual(stuck.map(() => true));
  });

  test('holds at once if it is raised, also for requests that a run has read', async () => {
    const owner = await createOwner(5);
    const ids = [await write(6, owner), await write(6, owner), await write(6, owner)];
    // Each is a transaction of its own, but the page has all three.
    const two = 'UPDATE request SET items = 2, planned_items = 2 WHERE id = ANY ($1)';
    await database.delivery.query(two, [ids]);
    const onChunk = () => keepFor(owner.tenant.appId, 60);
    const { chunks, locked } = await removeAll(ids, { chunk: 3, onChunk });
    expect(locked.flat()).toEqual(ids);
    expect(chunks.flat()).toEqual(ids.slice(0, 1));
  });

  test('covers receipts without a message, resends and resolved incidents', async () => {
    const [short, long] = [await createOwner(3), await createOwner(50)];
    const removed = await writeOthers(short.tenant.appId, 3.01);
    const kept = await writeOthers(long.tenant.appId, retentionDays + 1);
    await runAll();
    expect(await listOthers(removed)).toEqual([]);
    expect(await listOthers(kept)).toEqual([...kept].sort());
  });

  /** A receipt, a resend and an incident of this age. */
  async function writeOthers(appId: string, ageDays: number): Promise<string[]> {
    const at = new Date(Date.now() - ageDays * dayMs);
    const [receiptId, resendId, ruleId, incidentId] = [newId(), newId(), newId(), newId()];
    const { receipt, resend, alertRule, alertIncident } = database.prisma;
    await receipt.create({
      data: { id: receiptId, appId, state: 'sent', body: '{}', receivedAt: at },
    });
    await resend.create({
      data: { id: resendId, appId, filter: {}, matched: 0, finishedAt: at },
    });
    await alertRule.create({ data: { id: ruleId, appId, kind: 'circuit_open', params: {} } });
    const times = { firedAt: at, remindAt: at, resolvedAt: at };
    await alertIncident.create({
      data: { id: incidentId, appId, ruleId, sentence: 'x', isQuiet: false, ...times },
    });
    return [receiptId, resendId, incidentId];
  }

  async function listOthers(ids: string[]): Promise<string[]> {
    const where = { id: { in: ids } };
    const { receipt, resend, alertIncident } = database.prisma;
    const rows = [
      await receipt.findMany({ where }),
      await resend.findMany({ where }),
      await alertIncident.findMany({ where }),
    ];
    return rows
      .flat()
      .map(({ id }) => id)
      .sort();
  }
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
