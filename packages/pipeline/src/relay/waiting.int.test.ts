import { type Database, markActive } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { claimMessages } from '../deliver/claim.sql';
import { readFailovers } from '../deliver/failover.sql';
import { type RequeuedMessage, requeueMessages } from '../deliver/requeue.sql';
import { type MessageOptions, writeMessageRow } from '../message-row.fixture';
import {
  countQueued,
  type EnqueueDecisions,
  enqueueDue,
  enqueueLockKey,
  type WaitingMessage,
} from './enqueue-due.sql';
import { expireWaiting, listDoubtedMessages, replaceJobs } from './relay.sql';

const channel = `channel_${newId()}`;
let database: Database;
let factories: ReturnType<typeof createFactories>;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 6 });
  factories = createFactories(database);
});

afterAll(() => database.close());

type Place = { tenant: Tenant; event: { eventId: string; versionId: string } };

async function createPlace(integrationIds: string[] = []): Promise<Place> {
  const tenant = await factories.createTenant();
  const event = await factories.createEvent(tenant, {
    [channel]: channelVersion({}, { integrationIds }),
  });
  return { tenant, event };
}

async function createPlaceWithChain(count: number) {
  const tenant = await factories.createTenant();
  const integrations = await Promise.all(
    Array.from({ length: count }, () =>
      factories.createIntegration(tenant, { channel, provider: 'smtp' }),
    ),
  );
  const ids = integrations.map(({ id }) => id);
  const event = await factories.createEvent(tenant, {
    [channel]: channelVersion({}, { integrationIds: ids }),
  });
  return { place: { tenant, event }, ids };
}

async function activate(integrationId: string): Promise<void> {
  const { integration } = database.prisma;
  const { updatedAt } = await integration.findUniqueOrThrow({ where: { id: integrationId } });
  await markActive(database.delivery, { integrationId, updatedAt });
}

type RowOptions = MessageOptions & { data?: Parameters<typeof update>[1] };

function update(id: string, data: Parameters<Database['prisma']['message']['update']>[0]['data']) {
  return database.prisma.message.update({ where: { id }, data });
}

async function write(place: Place, { data, ...options }: RowOptions = {}): Promise<string> {
  const target = newId();
  const id = await writeMessageRow({ database, ...place }, { channel, target, ...options });
  if (data) await update(id, data);
  return id;
}

const read = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });

async function claim(ids: string[]) {
  const claims = await claimMessages(database.delivery, { ids, worker: 'w', leaseMs: 20_000 });
  return claims.map(({ kind }) => kind);
}

/** Enqueues all due messages of these apps, one job for each. */
function enqueue(
  places: Place[],
  decisions: Partial<EnqueueDecisions<{ jobId: string; ids: string[] }>> = {},
) {
  const appIds = places.map(({ tenant }) => tenant.appId);
  return enqueueDue(database.delivery, {
    after: undefined,
    share: (groups) =>
      groups
        .filter(({ appId }) => appIds.includes(appId))
        .map((group) => ({ ...group, messages: 100 })),
    gather: (messages) => messages.map(({ id }) => ({ jobId: newId(), ids: [id] })),
    ...decisions,
  });
}

describe('enqueueDue', () => {
  test('enqueues due messages without a job, and no others', async () => {
    const place = await createPlace();
    const due = await write(place);
    const later = await write(place, { data: { dueAt: new Date(Date.now() + 60_000) } });
    const result = await enqueue([place]);
    expect(result?.jobs.flatMap(({ ids }) => ids)).toEqual([due]);
    expect((await read(due)).jobId).toBe(result?.jobs[0]?.jobId);
    expect((await read(later)).jobId).toBeNull();
  });

  test('enqueues single sends before bulk, each app’s oldest first, and no more than its share', async () => {
    const places = [await createPlace(), await createPlace()];
    const [a, b] = places as [Place, Place];
    const old = await write(a, { data: { dueAt: new Date(Date.now() - 60_000) } });
    await write(a);
    const bulk = await write(b, { data: { isBulk: true } });
    const gatheredMessages: WaitingMessage[] = [];
    await enqueue(places, {
      share: (groups) =>
        groups
          .filter(({ appId }) => [a, b].some(({ tenant }) => tenant.appId === appId))
          .map((group) => ({ ...group, messages: 1 })),
      gather(messages) {
        gatheredMessages.push(...messages);
        return messages.map(({ id }) => ({ jobId: newId(), ids: [id] }));
      },
    });
    expect(gatheredMessages.map(({ id, isBulk }) => [id, isBulk])).toEqual([
      [old, false],
      [bulk, true],
    ]);
  });

  test('counts queued messages by app, including new single sends before bulk gets its share', async () => {
    const place = await createPlace();
    const appId = place.tenant.appId;
    await write(place, { data: { jobId: newId() } });
    await write(place);
    await write(place, { data: { isBulk: true } });
    const counts: number[] = [];
    await enqueue([place], {
      share(groups, queued) {
        const appEntries = queued.filter((each) => each.appId === appId);
        counts.push(appEntries.reduce((sum, { messages }) => sum + messages, 0));
        return groups
          .filter((group) => group.appId === appId)
          .map((group) => ({ ...group, messages: 10 }));
      },
    });
    expect(counts).toEqual([1, 2]);
    const queued = await countQueued(database.delivery);
    const own = queued.filter((each) => each.appId === appId);
    expect(own.toSorted((a, b) => b.messages - a.messages)).toEqual([
      { channel, isBulk: false, appId, messages: 2 },
      { channel, isBulk: true, appId, messages: 1 },
    ]);
  });

  test('never fills a window twice if relays enqueue at the same moment', async () => {
    const place = await createPlace();
    const appId = place.tenant.appId;
    for (let count = 0; count < 12; count += 1) await write(place);
    const share: EnqueueDecisions<never>['share'] = (groups, queued) => {
      const used = queued.find((each) => each.appId === appId)?.messages ?? 0;
      return groups
        .filter((group) => group.appId === appId)
        .map((group) => ({ ...group, messages: Math.max(0, 5 - used) }));
    };
    const runs = Array.from({ length: 6 }, () => enqueue([place], { share }));
    const results = await Promise.all(runs);
    const ids = results.flatMap((each) => each?.jobs.flatMap((job) => job.ids) ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(5);
  });

  test('returns undefined while another relay enqueues', async () => {
    const place = await createPlace();
    const id = await write(place);
    const other = await database.delivery.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [enqueueLockKey]);
    const meanwhile = await enqueue([place]);
    await other.query('ROLLBACK');
    other.release();
    expect(meanwhile).toBeUndefined();
    expect((await enqueue([place]))?.jobs.flatMap(({ ids }) => ids)).toEqual([id]);
  });

  test('leaves a locked message to the next run', async () => {
    const place = await createPlace();
    const [lockedId, free] = [await write(place), await write(place)];
    const holder = await database.delivery.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM message WHERE id = $1 FOR UPDATE', [lockedId]);
    const first = await enqueue([place]);
    await holder.query('ROLLBACK');
    holder.release();
    const second = await enqueue([place]);
    expect([first, second].map((result) => result?.jobs.flatMap(({ ids }) => ids))).toEqual([
      [free],
      [lockedId],
    ]);
  });
});

describe('listDoubtedMessages', () => {
  test('lists single sends first, then the oldest, and only messages of its channel that have been due with a job', async () => {
    const place = await createPlace();
    const own = `channel_${newId()}`;
    const dueFor = (ms: number) => new Date(Date.now() - ms);
    const doubted = (data: RowOptions['data']) =>
      write(place, { channel: own, data: { jobId: newId(), ...data } });
    const oldBulk = await doubted({ isBulk: true, dueAt: dueFor(90_000) });
    const youngBulk = await doubted({ isBulk: true, dueAt: dueFor(70_000) });
    const young = await doubted({ dueAt: dueFor(70_000) });
    const old = await doubted({ dueAt: dueFor(80_000) });
    await doubted({ dueAt: dueFor(50_000) });
    await doubted({ dueAt: dueFor(80_000), jobId: null });
    await doubted({ dueAt: dueFor(80_000), state: 'sending' });
    await write(place, { data: { jobId: newId(), dueAt: dueFor(80_000) } });
    const list = async (limit: number) => {
      const options = { channel: own, limit, dueForMs: 60_000 };
      return (await listDoubtedMessages(database.delivery, options)).map(({ id }) => id);
    };
    expect(await list(100)).toEqual([old, young, oldBulk, youngBulk]);
    expect(await list(1)).toEqual([old]);
  });
});

describe('replaceJobs', () => {
  test('requeues a lost message once among many relays, and never one that was claimed since', async () => {
    const place = await createPlace();
    const jobId = newId();
    const [lost, claimed] = [
      await write(place, { data: { jobId } }),
      await write(place, { data: { jobId } }),
    ];
    const doubted = await listDoubtedMessages(database.delivery, {
      channel,
      limit: 1_000,
      dueForMs: 0,
    });
    expect(doubted.map(({ id }) => id)).toEqual(expect.arrayContaining([lost, claimed]));
    await claim([claimed]);
    const replace = () =>
      replaceJobs(
        database.delivery,
        [lost, claimed].map((id) => ({ id, jobId: newId(), previousJobId: jobId })),
      );
    const results = await Promise.all([replace(), replace(), replace()]);
    expect(results.flatMap((ids) => [...ids])).toEqual([lost]);
  });
});

describe('expireWaiting', () => {
  test('fails expired messages, with or without a job, and no others', async () => {
    const place = await createPlace();
    const expiresAt = new Date(Date.now() - 1_000);
    const jobId = newId();
    const [waiting, queued, sending, alive] = [
      await write(place, { data: { expiresAt } }),
      await write(place, { data: { expiresAt, jobId } }),
      await write(place),
      await write(place),
    ];
    await claim([sending]);
    await update(sending, { expiresAt });
    const { jobs } = await expireWaiting(database.delivery, 1_000);
    expect(jobs).toContainEqual({ channel, jobId });
    for (const id of [waiting, queued]) {
      expect(await read(id)).toMatchObject({ state: 'failed', reason: 'expired', dueAt: null });
    }
    expect(await read(sending)).toMatchObject({ state: 'sending' });
    expect(await read(alive)).toMatchObject({ state: 'queued' });
  });

  test('returns a job only if none of its messages is queued any more', async () => {
    const place = await createPlace();
    const jobId = newId();
    const expiresAt = new Date(Date.now() - 1_000);
    await write(place, { data: { expiresAt, jobId } });
    await write(place, { data: { expiresAt, jobId } });
    const last = await write(place, { data: { jobId } });
    const first = await expireWaiting(database.delivery, 1_000);
    expect(first.jobs).not.toContainEqual({ channel, jobId });
    await update(last, { expiresAt });
    const second = await expireWaiting(database.delivery, 1_000);
    expect(second.jobs).toContainEqual({ channel, jobId });
  });
});

describe('requeueMessages', () => {
  const requeue = (id: string, why: RequeuedMessage['why']) =>
    requeueMessages(database.delivery, [{ id, waitMs: 30_000, why }]);

  test('leaves a message to the relay, due after the given time, without an attempt', async () => {
    const { place, ids } = await createPlaceWithChain(1);
    const id = await write(place, { integrationId: ids[0]!, data: { jobId: newId() } });
    await requeue(id, 'circuit');
    const message = await read(id);
    expect(message).toMatchObject({ state: 'queued', jobId: null, attempts: 0, waits: 'circuit' });
    expect(message.dueAt!.getTime()).toBeGreaterThan(Date.now() + 20_000);
  });

  test('moves it to the next integration of its chain at once, and from the last to the first after the given time', async () => {
    const { place, ids } = await createPlaceWithChain(2);
    const id = await write(place, { integrationId: ids[0]!, data: { jobId: newId() } });
    await requeue(id, 'circuit');
    const second = await read(id);
    expect(second).toMatchObject({ integrationId: ids[1], waits: null });
    expect(second.dueAt!.getTime()).toBeLessThan(Date.now() + 5_000);
    expect(readFailovers(second.notes)).toMatchObject([{ reason: 'no_answer' }]);
    await requeue(id, 'circuit');
    const third = await read(id);
    expect(third).toMatchObject({ integrationId: ids[0], waits: 'circuit' });
    expect(third.dueAt!.getTime()).toBeGreaterThan(Date.now() + 20_000);
  });

  test.each([
    ['removed', { deletedAt: new Date() }],
    ['paused', { state: 'paused' }],
    ['refused by its provider', { state: 'needs_attention' }],
  ])('skips an integration that is %s, at any position of the chain', async (_what, data) => {
    const { place, ids } = await createPlaceWithChain(4);
    for (const skippedId of [ids[0]!, ids[2]!]) {
      await database.prisma.integration.update({ where: { id: skippedId }, data });
    }
    const id = await write(place, { integrationId: ids[1]!, data: { jobId: newId() } });
    await requeue(id, 'circuit');
    const next = await read(id);
    expect(next.integrationId).toBe(ids[3]);
    expect(next.dueAt!.getTime()).toBeLessThan(Date.now() + 5_000);
    await requeue(id, 'circuit');
    const first = await read(id);
    expect(first.integrationId).toBe(ids[1]);
    expect(first.dueAt!.getTime()).toBeGreaterThan(Date.now() + 20_000);
  });

  test('ignores messages that are not due, because they were already requeued', async () => {
    const { place, ids } = await createPlaceWithChain(2);
    const data = { jobId: newId(), dueAt: new Date(Date.now() + 5_000) };
    const id = await write(place, { integrationId: ids[0]!, data });
    await requeue(id, 'circuit');
    expect(await read(id)).toMatchObject({ ...data, integrationId: ids[0], waits: null });
  });

  test.each([
    ['limit', 'limit'],
    ['stopping', null],
  ] as const)('keeps the integration if it is not at fault: %s', async (why, waits) => {
    const { place, ids } = await createPlaceWithChain(2);
    const id = await write(place, { integrationId: ids[0]!, data: { jobId: newId() } });
    await requeue(id, why);
    const message = await read(id);
    expect(message).toMatchObject({ integrationId: ids[0], jobId: null, waits, attempts: 0 });
    expect(message.dueAt!.getTime()).toBeGreaterThan(Date.now() + 20_000);
  });

  test('does not touch a message that another worker claimed', async () => {
    const { place } = await createPlaceWithChain(1);
    const id = await write(place);
    await claim([id]);
    await requeue(id, 'circuit');
    expect(await read(id)).toMatchObject({ state: 'sending' });
  });
});

describe('an integration that needs attention', () => {
  async function createWaiting(count: number, probeAt: Date) {
    const { place, ids } = await createPlaceWithChain(1);
    const integrationId = ids[0]!;
    const data = { state: 'needs_attention', probeAt };
    await database.prisma.integration.update({ where: { id: integrationId }, data });
    const messageIds: string[] = [];
    for (let index = 0; index < count; index += 1) {
      messageIds.push(await write(place, { integrationId }));
    }
    return { integrationId, messageIds };
  }

  test('is probed by one of the claimed messages when its time has come; the others wait', async () => {
    const { messageIds } = await createWaiting(5, new Date(Date.now() - 1_000));
    const kinds = await claim(messageIds);
    expect(kinds.sort()).toEqual(['claimed', 'settled', 'settled', 'settled', 'settled']);
    const rows = await Promise.all(messageIds.map(read));
    const waiting = rows.filter(({ waits }) => waits === 'needs_attention');
    expect(waiting).toHaveLength(4);
    for (const { dueAt } of waiting) {
      expect(dueAt!.getTime()).toBeGreaterThan(Date.now() + 15_000);
    }
  });

  test('is probed by one message even if many workers claim at the same moment', async () => {
    const { messageIds } = await createWaiting(6, new Date(Date.now() - 1_000));
    const kinds = await Promise.all(messageIds.map((id) => claim([id])));
    expect(kinds.flat().filter((kind) => kind === 'claimed')).toHaveLength(1);
  });

  test('is not probed before its time', async () => {
    const { messageIds } = await createWaiting(2, new Date(Date.now() + 60_000));
    expect(await claim(messageIds)).toEqual(['settled', 'settled']);
  });

  test('releases all its messages at once when it works again', async () => {
    const { integrationId, messageIds } = await createWaiting(3, new Date(Date.now() + 60_000));
    await claim(messageIds);
    await activate(integrationId);
    expect(await claim(messageIds)).toEqual(['claimed', 'claimed', 'claimed']);
  });

  test('releases no message that waits for another integration or another reason', async () => {
    const { place, ids } = await createPlaceWithChain(1);
    const integrationId = ids[0]!;
    const { tenant } = place;
    const { id: other } = await factories.createIntegration(tenant, { channel, provider: 'smtp' });
    const chain = channelVersion({}, { integrationIds: [other] });
    const elsewhere = { tenant, event: await factories.createEvent(tenant, { [channel]: chain }) };
    const later = new Date(Date.now() + 60_000);
    for (const id of [integrationId, other]) {
      const state = { state: 'needs_attention', probeAt: later };
      await database.prisma.integration.update({ where: { id }, data: state });
    }
    const waiting = (waits: string | null) => ({ dueAt: later, waits });
    const woken = [
      await write(place, { integrationId, data: waiting('needs_attention') }),
      await write(place, { integrationId, data: waiting('paused') }),
      await write(place, { integrationId, data: { ...waiting('needs_attention'), isBulk: true } }),
    ];
    const unaffectedIds = [
      await write(elsewhere, { integrationId: other, data: waiting('needs_attention') }),
      await write(place, { integrationId, data: waiting('retry') }),
      await write(place, { integrationId, data: waiting(null) }),
    ];
    const before = await Promise.all(unaffectedIds.map(read));
    await activate(integrationId);
    for (const { dueAt, waits } of await Promise.all(woken.map(read))) {
      expect(dueAt!.getTime()).toBeLessThan(later.getTime());
      expect(waits).toBeNull();
    }
    expect(await Promise.all(unaffectedIds.map(read))).toEqual(before);
  });
});

describe('a chain whose first integration needs attention', () => {
  const setState = (id: string, state: string) =>
    database.prisma.integration.update({
      where: { id },
      data: { state, stateReason: 'Authenticate', probeAt: new Date(Date.now() + 60_000) },
    });

  async function createChain(states: string[]) {
    const { place, ids } = await createPlaceWithChain(states.length);
    for (const [index, state] of states.entries()) await setState(ids[index]!, state);
    return { place, ids };
  }

  test('moves a message to the next integration without an attempt, and records why', async () => {
    const { place, ids } = await createChain(['needs_attention', 'active']);
    const id = await write(place, { integrationId: ids[0]!, data: { jobId: newId() } });
    expect(await claim([id])).toEqual(['settled']);
    const message = await read(id);
    const { name } = await database.prisma.integration.findUniqueOrThrow({
      where: { id: ids[0]! },
    });
    expect(message).toMatchObject({
      state: 'queued',
      integrationId: ids[1],
      attempts: 0,
      waits: null,
      jobId: null,
    });
    expect(readFailovers(message.notes)).toMatchObject([
      { name, reason: 'needs_attention', detail: 'Authenticate' },
    ]);
    expect(await claim([id])).toEqual(['claimed']);
  });

  test.each([
    ['a paused integration', ['needs_attention', 'paused', 'active'], 2],
    [
      'another integration that needs attention',
      ['needs_attention', 'needs_attention', 'active'],
      2,
    ],
    ['the end of the chain', ['active', 'needs_attention'], 0, 1],
  ])('skips %s', async (_what, states, expectedIndex, from = 0) => {
    const { place, ids } = await createChain(states);
    const id = await write(place, { integrationId: ids[from]! });
    await claim([id]);
    expect((await read(id)).integrationId).toBe(ids[expectedIndex]);
  });

  test('waits if no other integration works, and continues when any of the chain does', async () => {
    const { place, ids } = await createChain(['needs_attention', 'needs_attention']);
    const id = await write(place, { integrationId: ids[0]! });
    await claim([id]);
    expect(await read(id)).toMatchObject({ integrationId: ids[0], waits: 'needs_attention' });
    await activate(ids[1]!);
    await claim([id]);
    expect(await read(id)).toMatchObject({ integrationId: ids[1], state: 'queued' });
    expect(await claim([id])).toEqual(['claimed']);
  });

  test('counts the attempts in a row by the message’s integration', async () => {
    const { place, ids } = await createChain(['active', 'active']);
    const id = await write(place, { integrationId: ids[0]! });
    const counts: number[] = [];
    for (const integrationId of [ids[0], ids[0], ids[1], ids[1], ids[0]]) {
      await update(id, { integrationId: integrationId!, state: 'queued', dueAt: new Date(0) });
      const [claimed] = await claimMessages(database.delivery, {
        ids: [id],
        worker: 'w',
        leaseMs: 20_000,
      });
      if (claimed?.kind === 'claimed') counts.push(claimed.message.attemptsInRow);
    }
    expect(counts).toEqual([1, 2, 1, 2, 1]);
  });
});
