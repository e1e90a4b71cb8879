import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import type pg from 'pg';
import { writeRequests } from '../accept/write';
import type { NewRequest } from '../accept/write.sql';
import { resultFor } from '../message-row.fixture';
import { listExpiredLeases } from '../relay/relay.sql';
import { claimMessages } from './claim.sql';
import { type AttemptResult, leaseExpired, recordResults } from './record.sql';

let database: Database;
let factories: Factories;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterAll(() => database.close());

type CallOptions = { key?: string; fingerprint?: string; timeToLiveMs?: number; dueAt?: Date };

function newCall({ key, fingerprint = 'f', timeToLiveMs = 60_000, dueAt }: CallOptions = {}) {
  const id = newId();
  const messageId = newId();
  const call: NewRequest = {
    request: {
      id,
      accountId: tenant.accountId,
      appId: tenant.appId,
      ...event,
      kind: 'single',
      apiKeyId: undefined,
      idempotencyKey: key,
    },
    key:
      key === undefined
        ? undefined
        : {
            hash: Buffer.from(key),
            fingerprint: Buffer.from(fingerprint),
            ringKeyId: 'test',
            status: 200,
          },
    items: [
      {
        recipient: '{"email":"ana@example.com"}',
        data: '{"name":"Ana"}',
        override: undefined,
        locale: undefined,
        scheduleAt: undefined,
        plan: {
          locale: 'de',
          skips: { slack: { reason: 'no_address', detail: 'no slack' } },
          messages: [
            {
              id: messageId,
              channel: 'email',
              target: 'ana@example.com',
              integrationId: undefined,
              dueAt,
              timeToLiveMs,
              jobId: undefined,
              note: undefined,
            },
          ],
        },
      },
    ],
  };
  return { id, messageId, call };
}

async function writeMessage(options: CallOptions = {}): Promise<string> {
  const { messageId, call } = newCall(options);
  await writeRequests(database.accepting, [call]);
  return messageId;
}

async function claimOne(id: string, leaseMs = 20_000) {
  const [claim] = await claimMessages(database.delivery, { ids: [id], worker: 'w', leaseMs });
  return claim;
}

function readMessage(id: string) {
  return database.prisma.message.findUniqueOrThrow({
    where: { id },
    include: { attemptRows: true },
  });
}

const record = (results: AttemptResult[]) => recordResults(database.delivery, results);

describe('writeRequests', () => {
  test('writes request, item, skips and messages of each request together', async () => {
    const calls = [newCall(), newCall()];
    const results = await writeRequests(
      database.accepting,
      calls.map(({ call }) => call),
    );
    expect(results).toEqual([{ isWritten: true }, { isWritten: true }]);
    const row = await database.prisma.request.findUniqueOrThrow({
      where: { id: calls[0]!.id },
      include: { requestItems: { include: { messages: true } } },
    });
    expect(row).toMatchObject({ items: 1, plannedItems: 1, kind: 'single' });
    expect(row.requestItems[0]).toMatchObject({
      item: 0,
      data: '{"name":"Ana"}',
      locale: 'de',
      skips: { slack: { reason: 'no_address', detail: 'no slack' } },
      messages: [{ id: calls[0]!.messageId, state: 'queued', channel: 'email', attempts: 0 }],
    });
  });

  test('writes one request for a key, and returns the stored row to the second one', async () => {
    const key = newId();
    const first = newCall({ key });
    const second = newCall({ key, fingerprint: 'other' });
    const neighbour = newCall();
    await writeRequests(database.accepting, [first.call]);
    const results = await writeRequests(database.accepting, [second.call, neighbour.call]);
    expect(results).toEqual([
      {
        isWritten: false,
        winner: {
          fingerprint: Buffer.from('f'),
          ringKeyId: 'test',
          requestId: first.id,
          status: 200,
          body: undefined,
        },
      },
      { isWritten: true },
    ]);
    const ids = [second.id, neighbour.id];
    expect(await database.prisma.request.count({ where: { id: { in: ids } } })).toBe(1);
    expect(await database.prisma.requestItem.count({ where: { requestId: second.id } })).toBe(0);
    expect(await database.prisma.message.count({ where: { requestId: second.id } })).toBe(0);
  });

  test('reports stored requests as stored even if the key of another one cannot be read', async () => {
    const key = newId();
    await writeRequests(database.accepting, [newCall({ key }).call]);
    const calls = [newCall(), newCall({ key })].map(({ call }) => call);
    const { accepting } = database;
    const failing: Pick<pg.Pool, 'query'> = Object.create(accepting, {
      query: {
        value: (query: pg.QueryConfig) =>
          query.text.startsWith('SELECT account_id')
            ? Promise.reject(new Error('lost'))
            : accepting.query(query),
      },
    });
    expect(await writeRequests(failing, calls)).toEqual([
      { isWritten: true },
      { error: new Error('lost') },
    ]);
  });

  test('accepts a key once if two gateways write it at the same moment', async () => {
    const key = newId();
    const calls = Array.from({ length: 8 }, () => newCall({ key }));
    const results = await Promise.all(
      calls.map(({ call }) => writeRequests(database.accepting, [call])),
    );
    expect(results.flat().filter((each) => 'isWritten' in each && each.isWritten)).toHaveLength(1);
    const ids = calls.map(({ id }) => id);
    expect(await database.prisma.request.count({ where: { id: { in: ids } } })).toBe(1);
  });
});

describe('claimMessages', () => {
  test('gives a message to one of many workers, and opens its attempt in the same statement', async () => {
    const id = await writeMessage();
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimOne(id)));
    const kinds = claims.map((claim) => claim?.kind).sort();
    expect(kinds).toEqual(['claimed', 'stale', 'stale', 'stale', 'stale', 'stale']);
    const message = await readMessage(id);
    expect(message).toMatchObject({ state: 'sending', attempts: 1 });
    expect(message.attemptRows).toMatchObject([{ number: 1, worker: 'w', closedAt: null }]);
  });

  test('returns all fields that sending needs', async () => {
    const id = await writeMessage();
    expect(await claimOne(id)).toMatchObject({
      kind: 'claimed',
      message: {
        id,
        appId: tenant.appId,
        versionId: event.versionId,
        channel: 'email',
        target: 'ana@example.com',
        attempt: 1,
        recipient: '{"email":"ana@example.com"}',
        data: '{"name":"Ana"}',
        locale: 'de',
      },
    });
  });

  test('ignores a message that is not due', async () => {
    const id = await writeMessage({ dueAt: new Date(Date.now() + 60_000) });
    expect(await claimOne(id)).toEqual({ kind: 'stale' });
    expect(await readMessage(id)).toMatchObject({ state: 'queued', waits: 'schedule' });
  });

  test('fails an expired message without an attempt', async () => {
    const id = await writeMessage({ timeToLiveMs: 0 });
    expect(await claimOne(id)).toEqual({ kind: 'settled', state: 'failed', reason: 'expired' });
    expect(await readMessage(id)).toMatchObject({
      state: 'failed',
      reason: 'expired',
      dueAt: null,
      attemptRows: [],
    });
  });

  test('skips an address that is suppressed at the time of the claim', async () => {
    const id = await writeMessage();
    await database.prisma.suppression.create({
      data: {
        id: newId(),
        appId: tenant.appId,
        channel: 'email',
        recipient: 'ana@example.com',
        reason: 'hard_bounce',
      },
    });
    const claim = await claimOne(id);
    await database.prisma.suppression.deleteMany({ where: { appId: tenant.appId } });
    expect(claim).toEqual({ kind: 'settled', state: 'skipped', reason: 'suppressed' });
    expect(await readMessage(id)).toMatchObject({ state: 'skipped', attemptRows: [] });
  });

  test.each<[string, { appId?: string; channel?: string; recipient?: string; sender?: string }]>([
    ['another app', { appId: newId() }],
    ['another channel', { channel: 'sms' }],
    ['another address', { recipient: 'bob@example.com' }],
    ['another sender', { sender: 'sales@example.com' }],
  ])('is not blocked by a suppression of %s', async (_what, other) => {
    const own = { appId: tenant.appId, channel: 'email', recipient: 'ana@example.com' };
    const data = { id: newId(), reason: 'manual', ...own, ...other };
    const id = await writeMessage();
    await database.prisma.suppression.create({ data });
    const claim = await claimOne(id);
    await database.prisma.suppression.delete({ where: { id: data.id } });
    expect(claim).toMatchObject({ kind: 'claimed' });
  });

  test('is not blocked by a channel that another app paused', async () => {
    const { appId } = await factories.createTenant();
    await database.prisma.channelPause.create({ data: { appId, channel: 'email' } });
    expect(await claimOne(await writeMessage())).toMatchObject({ kind: 'claimed' });
  });
});

describe('recordResults', () => {
  test('closes the attempt and updates its message', async () => {
    const id = await writeMessage();
    await claimOne(id);
    expect(
      await record([resultFor(id, { notes: { missing: ['a.b'] }, request: '{"to":1}' })]),
    ).toEqual([true]);
    const message = await readMessage(id);
    expect(message).toMatchObject({ state: 'sent', dueAt: null, notes: { missing: ['a.b'] } });
    expect(message.settledAt).not.toBeNull();
    expect(message.attemptRows).toMatchObject([
      { outcome: 'accepted', providerMessageId: 'p1', provider: 'smtp', request: '{"to":1}' },
    ]);
  });

  test('never schedules the next attempt after the message expires', async () => {
    const id = await writeMessage({ timeToLiveMs: 60_000 });
    await claimOne(id);
    const next = { state: 'queued', dueAfterMs: 3_600_000, waits: 'retry' } as const;
    await record([resultFor(id, { outcome: 'retry', reason: 'refused', next })]);
    const message = await readMessage(id);
    expect(message.dueAt).toEqual(message.expiresAt);
    expect(message).toMatchObject({ state: 'queued', waits: 'retry', jobId: null });
  });

  test('undoes a claim without a provider call, so that the next claim opens the same attempt', async () => {
    const id = await writeMessage();
    await claimOne(id);
    const next = {
      state: 'queued',
      dueAfterMs: 0,
      waits: 'connections',
      isUnclaimed: true,
    } as const;
    expect(await record([resultFor(id, { outcome: 'retry', next })])).toEqual([true]);
    expect(await readMessage(id)).toMatchObject({
      ...{ state: 'queued', attempts: 0, waits: 'connections', jobId: null, unknownCount: 0 },
      attemptRows: [],
    });
    await claimOne(id);
    expect(await readMessage(id)).toMatchObject({
      ...{ state: 'sending', attempts: 1, waits: null },
      attemptRows: [{ number: 1, isPossibleDuplicate: false }],
    });
  });

  test('does not undo a claim whose lease expired or that a newer one followed', async () => {
    const id = await writeMessage();
    await claimOne(id);
    await record([resultFor(id, { outcome: 'unknown', next: { state: 'queued', dueAfterMs: 0 } })]);
    const undo = resultFor(id, {
      outcome: 'retry',
      next: { state: 'queued', dueAfterMs: 0, isUnclaimed: true },
    });
    expect(await record([undo])).toEqual([false]);
    await claimOne(id);
    expect(await record([undo])).toEqual([false]);
    expect(await readMessage(id)).toMatchObject({ state: 'sending', attempts: 2 });
  });

  test('stores a response with U+0000 or any length, and the other results', async () => {
    const ids = [await writeMessage(), await writeMessage()];
    for (const id of ids) await claimOne(id);
    const noise = Array.from({ length: 500 }, newId).join('');
    const odd = { reason: 'a\0b', detail: `\0${noise}`, providerMessageId: `\0${noise}` };
    const results = ids.map((id, index) => resultFor(id, index === 0 ? odd : {}));
    expect(await record(results)).toEqual([true, true]);
    const [message] = await Promise.all(ids.map(readMessage));
    expect(message?.attemptRows).toMatchObject([{ outcome: 'accepted', reason: 'a\uFFFDb' }]);
  });

  test('records an attempt once', async () => {
    const id = await writeMessage();
    await claimOne(id);
    await record([resultFor(id, {})]);
    const again = resultFor(id, { outcome: 'retry', next: { state: 'queued', dueAfterMs: 0 } });
    expect(await record([again])).toEqual([false]);
    expect(await readMessage(id)).toMatchObject({ state: 'sent' });
  });

  test('prefers a late result over the expired lease, until a newer attempt was opened', async () => {
    const id = await writeMessage();
    await claimOne(id);
    const expired = resultFor(id, {
      outcome: 'unknown',
      reason: leaseExpired,
      next: { state: 'queued', dueAfterMs: 0, isPossibleDuplicate: true },
    });
    expect(await record([expired])).toEqual([true]);
    expect(await record([expired])).toEqual([false]);
    expect(await record([resultFor(id, {})])).toEqual([true]);
    expect(await readMessage(id)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('counts an unknown outcome once if the lease expired before the attempt reported the same', async () => {
    const id = await writeMessage();
    await claimOne(id);
    const next = { state: 'queued', dueAfterMs: 0, isPossibleDuplicate: true } as const;
    const unknown = { outcome: 'unknown', next } as const;
    await record([resultFor(id, { ...unknown, reason: leaseExpired })]);
    expect(await record([resultFor(id, { ...unknown, reason: 'timeout' })])).toEqual([true]);
    expect(await readMessage(id)).toMatchObject({ state: 'queued', unknownCount: 1 });
  });

  test('keeps the newer attempt if an older one reports late, and marks it as a possible duplicate', async () => {
    const id = await writeMessage();
    await claimOne(id);
    const next = { state: 'queued', dueAfterMs: 0, isPossibleDuplicate: true } as const;
    await record([resultFor(id, { outcome: 'unknown', reason: leaseExpired, next })]);
    await claimOne(id);
    await record([resultFor(id, {})]);
    const message = await readMessage(id);
    expect(message).toMatchObject({ state: 'sending', attempts: 2 });
    expect(message.attemptRows.sort((a, b) => a.number - b.number)).toMatchObject([
      { number: 1, outcome: 'accepted', isPossibleDuplicate: false },
      { number: 2, outcome: null, isPossibleDuplicate: true },
    ]);
  });
});

describe('the relay’s queries', () => {
  test('list expired leases', async () => {
    const id = await writeMessage();
    await claimOne(id, 0);
    const leases = await listExpiredLeases(database.delivery, { limit: 10_000, backForMs: 0 });
    expect(leases.find((lease) => lease.id === id)).toMatchObject({
      attempt: 1,
      channel: 'email',
      versionId: event.versionId,
    });
  });

  test('list no message that waits for its next attempt', async () => {
    const id = await writeMessage();
    await claimOne(id, 0);
    const data = { state: 'queued', jobId: newId() };
    await database.prisma.message.update({ where: { id }, data });
    const leases = await listExpiredLeases(database.delivery, { limit: 10_000, backForMs: 0 });
    expect(leases.map((lease) => lease.id)).not.toContain(id);
  });

  test('list a lease only if PostgreSQL has been available for at least its length', async () => {
    const id = await writeMessage();
    await claimOne(id, 20);
    await eventually(async () => expect(await listed(60_000)).toContain(id));
    expect(await listed(19)).not.toContain(id);
    expect(await listed(20)).toContain(id);

    async function listed(backForMs: number): Promise<string[]> {
      const leases = await listExpiredLeases(database.delivery, { limit: 10_000, backForMs });
      return leases.map((lease) => lease.id);
    }
  });
});
