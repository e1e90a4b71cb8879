import { type Database, inTransaction } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import type { ItemPlan } from '../accept/item-plan';
import { writeCapture } from '../deliver/capture.sql';
import { leaseExpired, recordResults } from '../deliver/record.sql';
import {
  claimMessageRow,
  type MessageOptions,
  resultFor,
  writeMessageRow,
} from '../message-row.fixture';
import { findUnplannedRequest, writePlans } from '../relay/fan-out.sql';
import { createErasureTask, eraseUser, listErasures } from './erase';
import { type ErasePlace, eraseChunk, firstPlace } from './erase.sql';
import { type NewReceipt, writeReceipts } from './receipts';
import { createRequestLog } from './request-log';
import { writeGenerations } from './write-generations.sql';

jest.setTimeout(30_000);

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x' }),
    in_app: channelVersion({ title: 'x', body: 'x' }),
  });
});

afterAll(() => database.close());

type Person = { sid: string; userId: string; email: string; token: string };

/** A stored user with a device; every field contains the same marker. */
async function createPerson(): Promise<Person> {
  const [sid, needle] = [newId(), newId()];
  const person = {
    sid,
    userId: `u-${needle}`,
    email: `${needle}@example.com`,
    token: `t-${needle}`,
  };
  const { appId } = tenant;
  const { userId, email } = person;
  await database.prisma.user.create({ data: { id: sid, appId, userId, contact: { email } } });
  await database.prisma.device.create({
    data: { id: newId(), appId, userSid: sid, fcmToken: person.token },
  });
  return person;
}

async function erase({ sid, email, token, userId }: Person) {
  const actor = { accountId: tenant.accountId, operatorId: undefined };
  const addresses = [email, token, userId];
  return eraseUser(database.lookUps, actor, { appId: tenant.appId, userSid: sid, addresses });
}

const write = (options: MessageOptions) => writeMessageRow({ database, tenant, event }, options);
const read = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });

/** A message to the user's own address, by a request that names the user. */
function writeTo({ email, userId }: Person, options: MessageOptions = {}): Promise<string> {
  return write({ target: email, recipient: { user_id: userId, email }, ...options });
}

function createItemPlan({ id, target }: { id: string; target: string }): ItemPlan {
  const message = {
    ...{ id, channel: 'email', target, timeToLiveMs: 60_000 },
    ...{ integrationId: undefined, dueAt: undefined, jobId: undefined, note: undefined },
  };
  return { locale: undefined, skips: {}, messages: [message] };
}

const formatBody = (text: string) => JSON.stringify({ body: `Dear ${text}` });

async function send(id: string, { email }: Pick<Person, 'email'>): Promise<void> {
  await claimMessageRow({ database }, id);
  const texts = { request: formatBody(email), response: formatBody(email), detail: `to ${email}` };
  await recordResults(database.delivery, [
    resultFor(id, { ...texts, providerMessageId: `p-${email}`, notes: { address: email } }),
  ]);
}

function createReceipt(messageId: string, { email }: Person, integrationId: string): NewReceipt {
  return {
    appId: tenant.appId,
    integrationId,
    messageId,
    providerMessageId: `p-${email}`,
    state: 'delivered',
    reason: undefined,
    errorCode: undefined,
    detail: `It reached ${email}`,
    body: formatBody(email),
    identity: formatBody(email),
  };
}

const tables = [
  'app_user',
  'device',
  'request',
  'request_item',
  'message',
  'attempt',
  'receipt',
  'capture',
  'inbox_item',
  'inbox_reader',
  'audit_entry',
  'suppression',
  'erasure',
];

/** The terms by which a request is found are hashes, so they contain no marker. */
function countTerms(requestId: string): Promise<number> {
  return database.prisma.requestTerm.count({ where: { requestId } });
}

/** All rows that still contain the marker. */
async function findTraces({ sid, userId }: Person): Promise<string[]> {
  const needle = userId.slice(2);
  const traces: string[] = [];
  for (const table of tables) {
    const { rows } = await database.lookUps.query<{ row: string }>(
      `SELECT row_to_json(t)::text AS row FROM ${table} t WHERE row_to_json(t)::text LIKE '%' || $1 || '%'`,
      [needle],
    );
    traces.push(...rows.map(() => table));
  }
  expect(needle).not.toBe(sid);
  return traces;
}

/** Runs the upkeep task as if some minutes had passed. */
async function runLater({ sid }: Person): Promise<void> {
  await database.lookUps.query(
    `UPDATE erasure SET created_at = created_at - interval '10 minutes' WHERE user_sid = $1`,
    [sid],
  );
  await database.lookUps.query(
    `UPDATE request SET created_at = created_at - interval '20 minutes' WHERE app_id = $1`,
    [tenant.appId],
  );
  const client = await database.lookUps.connect();
  try {
    const task = createErasureTask();
    while ((await task.removeChunk(client)).mayBeMore);
  } finally {
    client.release();
  }
}

async function hasFinished({ sid }: Person): Promise<boolean> {
  const erasures = await listErasures(database.lookUps, tenant.appId);
  return erasures.find(({ userSid }) => userSid === sid)?.finishedAt !== null;
}

describe('an erased user', () => {
  test('leaves states and counts, but no personal data', async () => {
    const person = await createPerson();
    const { email, userId } = person;
    const { appId } = tenant;
    const integrationId = newId();
    const texts = { metadata: { customer: email }, cancelKey: `reminder of ${email}` };
    const sent = await writeTo(person, { integrationId, ...texts });
    await send(sent, person);
    await writeReceipts(database.lookUps, [createReceipt(sent, person, integrationId)]);
    const inbox = await writeTo(person, { channel: 'in_app', target: userId });
    await claimMessageRow({ database }, inbox);
    const item = { inboxItem: { title: email }, next: { state: 'delivered' as const } };
    await recordResults(database.delivery, [resultFor(inbox, item)]);
    // The item has made the row.
    await database.prisma.inboxReader.updateMany({
      where: { appId, userId },
      data: { lastOpenedAt: new Date() },
    });
    const capture = { provider: 'sandbox', target: email, content: email, request: email };
    await writeCapture(database.lookUps, {
      ...capture,
      appId,
      messageId: sent,
      attempt: 1,
      channel: 'email',
      outcome: 'accepted',
    });
    const { requestId } = await read(sent);
    await database.lookUps.query(
      `UPDATE request_item SET data = $2, override = $2, skips = $3 WHERE request_id = $1`,
      [
        requestId,
        formatBody(email),
        JSON.stringify({ sms: { reason: 'invalid_address', detail: email } }),
      ],
    );
    expect((await findTraces(person)).length).toBeGreaterThan(8);
    const erased = await erase(person);
    expect(erased).toMatchObject({ messages: 2, finishedAt: null });
    // Until then the erasure keeps what the next run needs.
    expect(await findTraces(person)).toEqual(['erasure']);
    expect(await read(sent)).toMatchObject({
      state: 'delivered',
      target: `erased:${sent}`,
      attempts: 1,
    });
    expect(await read(inbox)).toMatchObject({ state: 'delivered', target: `erased:${inbox}` });
    const storedItem = await database.prisma.requestItem.findFirstOrThrow({ where: { requestId } });
    expect(storedItem.skips).toEqual({ sms: { reason: 'invalid_address' } });
    expect(storedItem).toMatchObject({ metadata: null, cancelKey: null });
    expect(await countTerms(requestId)).toBe(0);
    await runLater(person);
    expect(await findTraces(person)).toEqual([]);
    expect(await hasFinished(person)).toBe(true);
  });

  test('gets no queued message', async () => {
    const person = await createPerson();
    const id = await writeTo(person);
    await erase(person);
    expect(await read(id)).toMatchObject({ state: 'skipped', reason: 'erased', dueAt: null });
    expect(await claimMessageRow({ database }, id)).toEqual({ kind: 'stale' });
  });

  test('keeps a message that is being sent until its result is recorded, and it is not retried', async () => {
    const person = await createPerson();
    const id = await writeTo(person);
    await claimMessageRow({ database }, id);
    await erase(person);
    expect(await read(id)).toMatchObject({ state: 'sending', target: person.email });
    await runLater(person);
    expect(await hasFinished(person)).toBe(false);
    const retry = { state: 'queued' as const, dueAfterMs: 0, waits: 'retry' as const };
    await recordResults(database.delivery, [
      resultFor(id, { outcome: 'retry', request: formatBody(person.email), next: retry }),
    ]);
    expect(await claimMessageRow({ database }, id)).toMatchObject({
      kind: 'settled',
      reason: 'expired',
    });
    await runLater(person);
    expect(await read(id)).toMatchObject({ state: 'failed', target: `erased:${id}` });
    expect(await findTraces(person)).toEqual([]);
    expect(await hasFinished(person)).toBe(true);
  });

  test('gets no message from fan-out that has already read the item', async () => {
    const person = await createPerson();
    const id = await writeTo(person);
    const { requestId } = await read(id);
    await database.prisma.message.delete({ where: { id } });
    await database.lookUps.query(
      'UPDATE request_item SET planned_at = NULL WHERE request_id = $1',
      [requestId],
    );
    await database.lookUps.query('UPDATE request SET planned_items = 0 WHERE id = $1', [requestId]);
    const unplanned = await findUnplannedRequest(database.lookUps, requestId);
    await erase(person);
    const plan = createItemPlan({ id: newId(), target: person.email });
    const items = [{ item: 0, locale: undefined, plan }];
    const isWritten = await writePlans(database.lookUps, unplanned!, { from: 0, to: 1, items });
    expect(isWritten).toBe(false);
    expect(await database.prisma.message.count({ where: { requestId } })).toBe(0);
    const item = await database.prisma.requestItem.findFirstOrThrow({ where: { requestId } });
    expect(item).toMatchObject({
      recipient: null,
      skips: { email: { reason: 'erased' }, in_app: { reason: 'erased' } },
    });
    const request = await database.prisma.request.findUniqueOrThrow({ where: { id: requestId } });
    expect(request.plannedItems).toBe(1);
  });

  test('gets no message that fan-out planned while the erasure waited for it', async () => {
    const person = await createPerson();
    const first = await writeTo(person);
    const { requestId } = await read(first);
    await database.prisma.message.delete({ where: { id: first } });
    await database.lookUps.query(
      'UPDATE request_item SET planned_at = NULL WHERE request_id = $1',
      [requestId],
    );
    await database.lookUps.query('UPDATE request SET planned_items = 0 WHERE id = $1', [requestId]);
    const unplanned = await findUnplannedRequest(database.lookUps, requestId);
    const id = newId();
    const planner = await database.delivery.connect();
    try {
      await planner.query('BEGIN');
      const items = [
        { item: 0, locale: undefined, plan: createItemPlan({ id, target: person.email }) },
      ];
      expect(await writePlans(planner, unplanned!, { from: 0, to: 1, items })).toBe(true);
      const erased = erase(person);
      await eventually(async () => {
        const { rows } = await database.delivery.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE 'SELECT FROM request %'`,
        );
        expect(rows).toHaveLength(1);
      });
      await planner.query('COMMIT');
      await erased;
    } finally {
      planner.release();
    }
    expect(await read(id)).toMatchObject({ state: 'skipped', reason: 'erased', dueAt: null });
    await runLater(person);
    expect(await findTraces(person)).toEqual([]);
  });

  test('leaves the terms that another item of the request has, too', async () => {
    const person = await createPerson();
    const metadata = { campaign: 'spring', customer: person.userId };
    const { requestId } = await read(await writeTo(person, { metadata, cancelKey: 'spring' }));
    await database.prisma.requestItem.create({
      data: { requestId, item: 1, metadata: '{"campaign":"spring"}', plannedAt: new Date() },
    });
    expect(await countTerms(requestId)).toBe(3);
    await erase(person);
    expect(await countTerms(requestId)).toBe(1);
    const log = createRequestLog(database.requestLog, []);
    const { appId } = tenant;
    const { ids } = await log.readPage({ appId, metadata: 'campaign:spring' });
    expect(ids).toEqual([requestId]);
  });

  test('leaves the data of other users', async () => {
    const person = await createPerson();
    const { email } = person;
    const otherUserMessage = await write({
      target: email,
      recipient: { user_id: 'somebody else', email },
    });
    const group = await write({ channel: 'slack', target: 'C0555010142', recipient: {} });
    const nameless = await write({ target: email, recipient: { email } });
    await erase(person);
    expect((await read(otherUserMessage)).target).toBe(email);
    expect((await read(group)).state).toBe('queued');
    expect(await read(nameless)).toMatchObject({ state: 'skipped', target: `erased:${nameless}` });
  });

  test('may return: later requests belong to a new user', async () => {
    const person = await createPerson();
    await erase(person);
    const later = await writeTo(person);
    const client = await database.lookUps.connect();
    const task = createErasureTask();
    while ((await task.removeChunk(client)).mayBeMore);
    client.release();
    expect(await read(later)).toMatchObject({ state: 'queued', target: person.email });
  });
});

describe('after an erasure', () => {
  test('a receipt settles the message and stores no address', async () => {
    const person = await createPerson();
    const integrationId = newId();
    const id = await writeTo(person, { integrationId });
    await database.lookUps.query(
      `UPDATE message SET state = 'sent', due_at = NULL, attempts = 1 WHERE id = $1`,
      [id],
    );
    await database.prisma.attempt.create({ data: { messageId: id, number: 1, integrationId } });
    await erase(person);
    await writeReceipts(database.lookUps, [createReceipt(id, person, integrationId)]);
    expect((await read(id)).state).toBe('delivered');
    expect(await findTraces(person)).toEqual(['erasure']);
  });

  test('a result after the end of its lease is not stored', async () => {
    const person = await createPerson();
    const id = await writeTo(person);
    await claimMessageRow({ database }, id);
    const lost = { outcome: 'unknown' as const, reason: leaseExpired };
    await recordResults(database.delivery, [
      resultFor(id, { ...lost, next: { state: 'unknown' } }),
    ]);
    await erase(person);
    const late = resultFor(id, {
      request: formatBody(person.email),
      inboxItem: { to: person.email },
    });
    expect(await recordResults(database.delivery, [late])).toEqual([false]);
    expect(await findTraces(person)).toEqual(['erasure']);
  });

  test('a resend of an erased message writes none', async () => {
    const person = await createPerson();
    const id = await writeTo(person);
    await send(id, person);
    await erase(person);
    const generation = {
      id: newId(),
      messageId: id,
      state: 'sent',
      integrationId: null,
      timeToLiveMs: 60_000,
    };
    const context = { appId: tenant.appId, resendId: undefined };
    expect(await writeGenerations(database.lookUps, context, [generation])).toEqual([]);
  });

  test('an interrupted erasure is continued', async () => {
    const person = await createPerson();
    const first = await writeTo(person);
    await erase(person);
    // The state after a process died before its first chunk.
    await database.lookUps.query(`UPDATE message SET target = $2, state = 'sent' WHERE id = $1`, [
      first,
      person.email,
    ]);
    await database.lookUps.query(
      'UPDATE request_item SET recipient = $2 WHERE request_id = (SELECT request_id FROM message WHERE id = $1)',
      [first, JSON.stringify({ user_id: person.userId })],
    );
    await runLater(person);
    expect((await read(first)).target).toBe(`erased:${first}`);
    expect(await hasFinished(person)).toBe(true);
  });
});

describe('a chunk', () => {
  test('has at most 200 items, and all chunks together have every item', async () => {
    const person = await createPerson();
    const ids: string[] = [];
    for (let count = 0; count < 450; count += 1) ids.push(await writeTo(person));
    const erasureId = newId();
    await database.prisma.erasure.create({
      data: {
        id: erasureId,
        appId: tenant.appId,
        userSid: person.sid,
        userId: person.userId,
        addresses: [person.email],
      },
    });
    const sizes: number[] = [];
    for (let place: ErasePlace | undefined = firstPlace; place; ) {
      const from: ErasePlace = place;
      const chunk = await inTransaction(database.lookUps, (client) =>
        eraseChunk(client, erasureId, from),
      );
      sizes.push(chunk.messages);
      place = chunk.next;
    }
    expect(Math.max(...sizes)).toBe(200);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(450);
    const remainingCount = await database.prisma.message.count({
      where: { id: { in: ids }, target: person.email },
    });
    expect(remainingCount).toBe(0);
  });

  test('starts after the newest request of the previous chunk', async () => {
    const person = await createPerson();
    const erasureId = newId();
    await database.prisma.erasure.create({
      data: {
        id: erasureId,
        appId: tenant.appId,
        userSid: person.sid,
        userId: person.userId,
        addresses: [],
        createdAt: new Date(0),
      },
    });
    await writeTo(person);
    const { requestId } = await read(await writeTo(person));
    const place = { ...firstPlace, source: 1 };
    const { next } = await eraseChunk(database.lookUps, erasureId, place);
    expect(next).toEqual({ source: 1, after: requestId });
  });
});
