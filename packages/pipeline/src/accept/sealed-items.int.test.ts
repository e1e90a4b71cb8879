import type { Database } from '@belfry/database';
import { createSecrets, newId } from '@belfry/runtime';
import {
  createFactories,
  openDatabase,
  ownDatabase,
  type Tenant,
  testKeyRing,
  testSecrets,
} from '@belfry/testing';
import { cancelMessage } from '../operate/message-changes.sql';
import { listOldKeys, rotateKeys } from '../operate/rotate-keys';
import { expireWaiting } from '../relay/relay.sql';
import { createSealedTextsRemoval, dropSettledTexts, openTexts, sealTexts } from './sealed-items';
import { writeRequests } from './write';

const secrets = testSecrets();
/** Rotation covers the whole database, so use an own one: other tests leave texts that are not sealed correctly. */
let own: Awaited<ReturnType<typeof ownDatabase>>;
let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  own = await ownDatabase();
  database = openDatabase({ url: own.url, poolSize: 2 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, {}, { isSensitive: true });
});

afterAll(async () => {
  await database.close();
  await own.drop();
});

const texts = { data: '{"code":"1234"}', override: '{"sms":{"sender":"Acme"}}' };

/** A sensitive request with one item and a message for each channel. */
async function write(channels: string[]) {
  const requestId = newId();
  const messages = channels.map((channel) => ({
    id: newId(),
    channel,
    target: 't',
    integrationId: undefined,
    dueAt: undefined,
    timeToLiveMs: 60_000,
    jobId: undefined,
    note: undefined,
  }));
  const item = {
    ...sealTexts(texts, { requestId, item: 0 }, secrets),
    recipient: undefined,
    locale: undefined,
    scheduleAt: undefined,
    plan: { locale: undefined, skips: {}, messages },
  };
  await writeRequests(database.accepting, [
    {
      request: {
        id: requestId,
        accountId: tenant.accountId,
        appId: tenant.appId,
        ...event,
        kind: 'single',
        apiKeyId: undefined,
        idempotencyKey: undefined,
      },
      key: undefined,
      items: [item],
    },
  ]);
  return { requestId, ids: messages.map(({ id }) => id) };
}

async function read(requestId: string) {
  const { data, override } = await database.prisma.requestItem.findFirstOrThrow({
    where: { requestId },
  });
  return { data: data ?? undefined, override: override ?? undefined };
}

const settle = (id: string) =>
  database.prisma.message.update({ where: { id }, data: { state: 'sent', dueAt: null } });

const noTexts = { data: undefined, override: undefined };

describe('the sealed texts of a sensitive event', () => {
  test('are dropped with the last of its messages, and not before', async () => {
    const { requestId, ids } = await write(['sms', 'email']);
    await settle(ids[0]!);
    await dropSettledTexts(database.delivery, ids);
    expect(openTexts(await read(requestId), { requestId, item: 0 }, secrets)).toEqual(texts);
    await settle(ids[1]!);
    await dropSettledTexts(database.delivery, [ids[1]!]);
    expect(await read(requestId)).toEqual(noTexts);
  });

  test('are dropped without touching an event that is not sensitive', async () => {
    const { requestId, ids } = await write(['sms']);
    await database.prisma.requestItem.updateMany({ where: { requestId }, data: texts });
    await settle(ids[0]!);
    await dropSettledTexts(database.delivery, ids);
    await createSealedTextsRemoval(1_000).removeChunk(database.delivery);
    expect(await read(requestId)).toEqual(texts);
  });

  test('are dropped with a queued message that expires', async () => {
    const [ended, alive] = [await write(['sms']), await write(['sms'])];
    const where = { id: ended.ids[0]! };
    await database.prisma.message.update({ where, data: { expiresAt: new Date(0) } });
    expect(await expireWaiting(database.delivery, 1_000)).toMatchObject({ messages: 1 });
    expect(await read(ended.requestId)).toEqual(noTexts);
    expect((await read(alive.requestId)).data).toMatch(/^"v1\./);
  });

  test('are dropped with a message that an operator cancels', async () => {
    const { requestId, ids } = await write(['sms']);
    const { accountId, appId } = tenant;
    const actor = { accountId, operatorId: undefined };
    expect(await cancelMessage(database.delivery, actor, { appId, messageId: ids[0]! })).toBe(true);
    expect(await read(requestId)).toEqual(noTexts);
  });

  test('are dropped by upkeep if nothing else did so, also for an item without messages', async () => {
    const [settled, empty, waiting] = [await write(['sms']), await write([]), await write(['sms'])];
    await settle(settled.ids[0]!);
    await createSealedTextsRemoval(1_000).removeChunk(database.delivery);
    expect(await read(settled.requestId)).toEqual(noTexts);
    expect(await read(empty.requestId)).toEqual(noTexts);
    expect((await read(waiting.requestId)).data).toMatch(/^"v1\./);
  });

  test('are dropped by upkeep for an item that fan-out planned in order, and not before', async () => {
    const [planned, unplanned] = [await write([]), await write([])];
    await database.prisma.requestItem.updateMany({
      where: { requestId: { in: [planned.requestId, unplanned.requestId] } },
      data: { plannedAt: null },
    });
    const { requestId: id } = planned;
    await database.prisma.request.update({ where: { id }, data: { plannedTo: 1 } });
    await createSealedTextsRemoval(1_000).removeChunk(database.delivery);
    expect(await read(planned.requestId)).toEqual(noTexts);
    expect((await read(unplanned.requestId)).data).toMatch(/^"v1\./);
  });

  test('are resealed when the key ring is rotated, and then open with the new key alone', async () => {
    const { requestId } = await write(['sms']);
    const newKey = `k2:${Buffer.alloc(32, 9).toString('base64')}`;
    await rotateKeys(database.delivery, createSecrets(`${newKey},${testKeyRing}`));
    const stored = await read(requestId);
    expect(openTexts(stored, { requestId, item: 0 }, createSecrets(newKey))).toEqual(texts);
    await rotateKeys(database.delivery, createSecrets(`${testKeyRing},${newKey}`));
  });

  test('open only in their own place; texts that are not sealed stay unchanged', async () => {
    const place = { requestId: newId(), item: 0 };
    const sealed = sealTexts(texts, place, secrets);
    expect(() => openTexts(sealed, { ...place, item: 1 }, secrets)).toThrow();
    expect(openTexts(texts, place, secrets)).toEqual(texts);
    expect(openTexts(noTexts, place, secrets)).toEqual(noTexts);
  });
});

test('an old ring key is needed for 25 hours after the last idempotency key fingerprinted with it', async () => {
  const { accountId } = tenant;
  const [used, unused] = [newId(), newId()];
  const sealed = 'x';
  for (const keyId of [used, unused]) {
    await database.prisma.keyCanary.create({ data: { keyId, sealed } });
  }
  const times = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((text) => new Date(text));
  for (const [index, firstSeen] of times.entries()) {
    const data = {
      ...{ accountId, keyHash: Buffer.from([index]), fingerprint: Buffer.from([1]) },
      ...{ ringKeyId: used, requestId: newId(), status: 200, firstSeen },
    };
    await database.prisma.idempotencyKey.create({ data });
  }
  const listed = await listOldKeys(database.delivery, secrets);
  const neededUntil = new Date('2026-01-03T01:00:00Z');
  expect(listed).toEqual(
    expect.arrayContaining([
      { keyId: used, neededUntil },
      { keyId: unused, neededUntil: undefined },
    ]),
  );
  const remainingCanaries = await database.prisma.keyCanary.findMany({ where: { sealed } });
  expect(remainingCanaries.map(({ keyId }) => keyId)).toEqual([used]);
});
