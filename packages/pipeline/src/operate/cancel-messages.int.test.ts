import { type Database, inTransaction, type Queryable } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { writeRequests } from '../accept/write';
import type { NewItem } from '../accept/write.sql';
import { leaseExpired, recordResults } from '../deliver/record.sql';
import {
  claimMessageRow,
  type MessageOptions,
  resultFor,
  writeMessageRow,
} from '../message-row.fixture';
import { findUnplannedRequest, listUnplannedItems, writePlans } from '../relay/fan-out.sql';
import type { Cancel } from './cancel-chunk.sql';
import { createCancelMessages } from './cancel-messages';
import { writeGenerations } from './write-generations.sql';

jest.setTimeout(60_000);

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };
let cancelMessages: ReturnType<typeof createCancelMessages>;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 6 });
  cancelMessages = createCancelMessages({ pool: database.accepting, write: (work) => work() });
});

beforeEach(async () => {
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x' }),
    sms: channelVersion({ text: 'x' }),
  });
});

afterAll(() => database.close());

const write = (options: MessageOptions) => writeMessageRow({ database, tenant, event }, options);
const read = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });

function cancel(changes: Partial<Cancel>) {
  const none = { cancelKey: undefined, requestId: undefined, userIds: undefined, after: undefined };
  return cancelMessages({ ...none, appId: tenant.appId, ...changes });
}

const inAnHour = () => new Date(Date.now() + 3_600_000);

/** Writes a bulk request that fan-out has not planned. */
async function writeBulk(items: Partial<NewItem>[]): Promise<string> {
  const id = newId();
  const { accountId, appId } = tenant;
  const noTexts = { recipient: undefined, data: undefined, override: undefined, locale: undefined };
  const unplanned = { ...noTexts, scheduleAt: undefined, plan: undefined };
  const request = { id, accountId, appId, ...event, kind: 'bulk' as const };
  await writeRequests(database.accepting, [
    {
      request: { ...request, apiKeyId: undefined, idempotencyKey: undefined },
      key: undefined,
      items: items.map((item) => ({ ...unplanned, ...item })),
    },
  ]);
  return id;
}

/** Plans the remaining items as fan-out does: one e-mail each. Returns whether it wrote them. */
async function plan(requestId: string, client: Queryable = database.delivery): Promise<boolean> {
  const request = await findUnplannedRequest(database.delivery, requestId);
  if (!request) return false;
  const items = await listUnplannedItems(database.delivery, { requestId, from: 0, limit: 1_000 });
  const plans = items.map(({ item }) => {
    const message = { id: newId(), channel: 'email', target: `${item}@example.com` };
    const when = { integrationId: undefined, dueAt: undefined, timeToLiveMs: 60_000 };
    const messages = [{ ...message, ...when, jobId: undefined, note: undefined }];
    return { item, locale: undefined, plan: { locale: undefined, skips: {}, messages } };
  });
  return writePlans(client, request, { from: 0, to: request.items, items: plans });
}

async function readItems(requestId: string) {
  const orderBy = { item: 'asc' as const };
  const items = await database.prisma.requestItem.findMany({ where: { requestId }, orderBy });
  return items.map(({ skips }) => skips);
}

async function readRows() {
  const where = { appId: tenant.appId };
  const orderBy = { id: 'asc' as const };
  const requests = { where, orderBy, include: { requestItems: true } };
  return [
    await database.prisma.request.findMany(requests),
    await database.prisma.message.findMany({ where, orderBy }),
  ];
}

const skippedByCaller = { reason: 'cancelled', detail: 'The caller cancelled it.' };

describe('a cancel by key', () => {
  test('skips scheduled and waiting messages of every request with the key, and no others', async () => {
    const scheduled = await write({ cancelKey: 'a', dueAt: inAnHour() });
    const due = await write({ cancelKey: 'a' });
    const others = [await write({ cancelKey: 'A' }), await write({ metadata: { a: 'a' } })];
    expect(await cancel({ cancelKey: 'a' })).toEqual({
      ...{ cancelled: 2, tooLate: 0, unknown: 0, next: undefined },
    });
    for (const id of [scheduled, due]) {
      expect(await read(id)).toMatchObject({
        ...{ state: 'skipped', reason: 'cancelled', dueAt: null, waits: null },
        notes: { cancelled_by: 'caller' },
        settledAt: expect.any(Date),
      });
    }
    for (const id of others) expect((await read(id)).state).toBe('queued');
  });

  test('is idempotent: a repeated cancel answers the same and changes nothing', async () => {
    await write({ cancelKey: 'a' });
    await writeBulk([{ cancelKey: 'a' }]);
    const first = await cancel({ cancelKey: 'a' });
    expect(first).toMatchObject({ cancelled: 3, tooLate: 0 });
    const before = await readRows();
    expect(await cancel({ cancelKey: 'a' })).toEqual(first);
    expect(await readRows()).toEqual(before);
  });

  test('cancels a message that waits for a retry, and is too late for one that was sent or is being sent', async () => {
    const retrying = await write({ cancelKey: 'a' });
    await claimMessageRow({ database }, retrying);
    const next = { state: 'queued' as const, dueAfterMs: 60_000, waits: 'retry' as const };
    await recordResults(database.delivery, [resultFor(retrying, { outcome: 'retry', next })]);
    const sending = await write({ cancelKey: 'a' });
    await claimMessageRow({ database }, sending);
    const sent = await write({ cancelKey: 'a' });
    await claimMessageRow({ database }, sent);
    await recordResults(database.delivery, [resultFor(sent, {})]);
    expect(await cancel({ cancelKey: 'a' })).toMatchObject({ cancelled: 1, tooLate: 2 });
    expect(await read(retrying)).toMatchObject({ state: 'skipped', reason: 'cancelled' });
    expect((await read(sending)).state).toBe('sending');
    expect((await read(sent)).state).toBe('sent');
  });

  test('does not call a message cancelled that may have been sent: it stays unknown, and is not sent again', async () => {
    const id = await write({ cancelKey: 'a' });
    await claimMessageRow({ database }, id);
    const next = { state: 'queued' as const, dueAfterMs: 60_000, isPossibleDuplicate: true };
    const lost = { outcome: 'unknown' as const, reason: leaseExpired };
    await recordResults(database.delivery, [resultFor(id, { ...lost, next })]);
    expect(await cancel({ cancelKey: 'a' })).toMatchObject({ cancelled: 0, tooLate: 1 });
    expect(await read(id)).toMatchObject({ state: 'unknown', reason: null, dueAt: null });
  });

  test('leaves messages that an operator resent', async () => {
    const id = await write({ cancelKey: 'a' });
    await claimMessageRow({ database }, id);
    await recordResults(database.delivery, [resultFor(id, {})]);
    const generation = { messageId: id, state: 'sent', integrationId: null, timeToLiveMs: 60_000 };
    const context = { appId: tenant.appId, resendId: undefined };
    const resent = newId();
    await writeGenerations(database.lookUps, context, [{ ...generation, id: resent }]);
    expect(await cancel({ cancelKey: 'a' })).toMatchObject({ cancelled: 0, tooLate: 1 });
    expect((await read(resent)).state).toBe('queued');
  });

  test('counts an unknown key, and does not read the key of another app', async () => {
    const id = await write({ cancelKey: 'a' });
    const other = await createFactories(database).createTenant();
    expect(await cancel({ appId: other.appId, cancelKey: 'a' })).toEqual({
      ...{ cancelled: 0, tooLate: 0, unknown: 1, next: undefined },
    });
    expect((await read(id)).state).toBe('queued');
  });

  test('continues after its limit with the next call, until every request is cancelled', async () => {
    const count = 1_003;
    const { accountId, appId } = tenant;
    await database.lookUps.query(
      `WITH r AS (
         INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items)
         SELECT gen_random_uuid(), $1, $2, $3, $4, 'single', 1, 1 FROM generate_series(1, ${count}) RETURNING id
       ), i AS (
         INSERT INTO request_item (request_id, item, planned_at, cancel_key) SELECT id, 0, now(), 'many' FROM r
       ), t AS (
         INSERT INTO request_term (app_id, term, request_id)
         SELECT $2, left(encode(sha256('cancel_key:many'), 'hex'), 32)::uuid, id FROM r
       )
       INSERT INTO message (id, request_id, item, app_id, channel, target, due_at, expires_at)
       SELECT gen_random_uuid(), id, 0, $2, 'email', 'a', now(), now() + interval '1 hour' FROM r`,
      [accountId, appId, event.eventId, event.versionId],
    );
    const first = await cancel({ cancelKey: 'many' });
    expect(first).toEqual({ cancelled: 1_000, tooLate: 0, unknown: 0, next: expect.any(String) });
    expect(await cancel({ cancelKey: 'many', after: first?.next })).toEqual({
      ...{ cancelled: 3, tooLate: 0, unknown: 0, next: undefined },
    });
    const where = { appId, state: 'skipped', reason: 'cancelled' };
    expect(await database.prisma.message.count({ where })).toBe(count);
  });
});

describe('a cancel by request', () => {
  test('cancels every item, with or without a key; undefined for a request of another app', async () => {
    const requestId = await writeBulk([{ cancelKey: 'a' }, {}]);
    await plan(requestId);
    const other = await createFactories(database).createTenant();
    const before = await readRows();
    expect(await cancel({ appId: other.appId, requestId })).toBeUndefined();
    expect(await cancel({ requestId: newId() })).toBeUndefined();
    expect(await readRows()).toEqual(before);
    expect(await cancel({ requestId })).toMatchObject({ cancelled: 2, tooLate: 0, unknown: 0 });
  });

  test('of some users leaves the others, and counts user IDs that it does not name', async () => {
    const users = ['ana', 'ben', 'eve'];
    const requestId = await writeBulk(
      users.map((user_id) => ({ recipient: JSON.stringify({ user_id }) })),
    );
    await plan(requestId);
    const userIds = ['ana', 'eve', 'eve', 'nobody', 'ANA'];
    expect(await cancel({ requestId, userIds })).toMatchObject({
      ...{ cancelled: 2, tooLate: 0, unknown: 2 },
    });
    const messages = await database.prisma.message.findMany({ where: { requestId } });
    expect(messages.filter(({ state }) => state === 'queued').map(({ item }) => item)).toEqual([1]);
  });
});

describe('items that are not planned yet', () => {
  test('are skipped on every channel, and fan-out plans only the others', async () => {
    const requestId = await writeBulk([{ cancelKey: 'a' }, {}, { cancelKey: 'a' }]);
    expect(await cancel({ cancelKey: 'a' })).toMatchObject({ cancelled: 4, tooLate: 0 });
    expect(await plan(requestId)).toBe(true);
    const skips = { email: skippedByCaller, sms: skippedByCaller };
    expect(await readItems(requestId)).toEqual([skips, null, skips]);
    const messages = await database.prisma.message.findMany({ where: { requestId } });
    expect(messages.map(({ item }) => item)).toEqual([1]);
    expect(await findUnplannedRequest(database.delivery, requestId)).toBeUndefined();
    expect(await cancel({ cancelKey: 'a' })).toMatchObject({ cancelled: 4, tooLate: 0 });
  });

  test('are not planned by a fan-out that read them before the cancel', async () => {
    const requestId = await writeBulk([{ cancelKey: 'a' }, {}]);
    const stale = await findUnplannedRequest(database.delivery, requestId);
    await cancel({ cancelKey: 'a' });
    const chunk = { from: 0, to: 2, items: [] };
    expect(await writePlans(database.delivery, stale!, chunk)).toBe(false);
  });

  test('are cancelled as messages if fan-out plans them while the cancel waits for it', async () => {
    const requestId = await writeBulk([{ cancelKey: 'a' }, {}]);
    const planner = await database.delivery.connect();
    try {
      await planner.query('BEGIN');
      expect(await plan(requestId, planner)).toBe(true);
      const cancelling = cancel({ cancelKey: 'a' });
      await eventually(async () => {
        const { rows } = await database.delivery.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE '%FOR NO KEY UPDATE%'`,
        );
        expect(rows).toHaveLength(1);
      });
      await planner.query('COMMIT');
      expect(await cancelling).toMatchObject({ cancelled: 1, tooLate: 0 });
    } finally {
      planner.release();
    }
    expect(await readItems(requestId)).toEqual([null, null]);
    const messages = await database.prisma.message.findMany({ where: { requestId } });
    expect(messages.map(({ item, state }) => [item, state]).sort()).toEqual([
      [0, 'skipped'],
      [1, 'queued'],
    ]);
  });
});

test('a cancel waits for a transaction that holds a message, and then decides by its result', async () => {
  const [claimed, released] = [await write({ cancelKey: 'a' }), await write({ cancelKey: 'a' })];
  let cancelling: ReturnType<typeof cancel> | undefined;
  await inTransaction(database.delivery, async (client) => {
    const lock = 'SELECT FROM message WHERE id = ANY ($1::uuid[]) FOR NO KEY UPDATE';
    await client.query(lock, [[claimed, released]]);
    cancelling = cancel({ cancelKey: 'a' });
    await client.query(`UPDATE message SET state = 'sending' WHERE id = $1`, [claimed]);
  });
  expect(await cancelling).toMatchObject({ cancelled: 1, tooLate: 1 });
  expect((await read(released)).reason).toBe('cancelled');
});
