import { channels } from '@belfry/channels';
import { createLookUps, type Database, type LookUps } from '@belfry/database';
import { createFairQueue, createLogger, createSemaphore, newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
  testSecrets,
} from '@belfry/testing';
import { writeRequests } from '../accept/write';
import { createLeases } from '../relay/expire-leases';
import { listExpiredLeases } from '../relay/relay.sql';
import { createAttempt, createDeadlines } from './attempt';
import { createCapture } from './capture';
import { writeCaptures } from './capture.sql';
import { createCarriers } from './choose-integration';
import { type ClaimedMessage, claimMessages } from './claim.sql';
import { createCompose } from './compose';
import { createDeliver } from './deliver';
import { createPreviewLinks } from './links';
import type { Backoff } from './next-state';
import { createRecorder } from './record';
import { recordResults } from './record.sql';
import { createBreaker, createSlots } from './slots';

const log = createLogger({ level: 'error', process: 'test' });
const backoff: Backoff = { baseMs: 1, capMs: 1, random: () => 0 };
const userId = 'ana';
let database: Database;
let lookUps: LookUps;
let factories: Factories;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 6 });
  lookUps = createLookUps(database.lookUps);
  factories = createFactories(database);
});

afterAll(() => database.close());

/** A worker of the channel without its queue; `claim` is what it has claimed. */
function createWorker(claim: ClaimedMessage) {
  const channel = channels.in_app;
  const carriers = createCarriers({
    channelName: 'in_app',
    channel,
    findIntegration: lookUps.findIntegration,
    findOwnToken: undefined,
    secrets: testSecrets(),
    capture: createCapture((captures) => writeCaptures(database.delivery, captures)),
    senderDeps: { baseUrls: {}, allowedPrivateHosts: [] },
    receiptsAt: undefined,
  });
  const compose = createCompose(channel, createFairQueue(), createPreviewLinks(''));
  const recorder = createRecorder({
    recordResults: (results) => recordResults(database.delivery, results),
    log,
  });
  const { findVersion, findApp } = lookUps;
  const times = {
    preparationMs: 0,
    deadlineMs: channel.deadlineMs,
    leaseMs: channel.deadlineMs + 5_000,
  };
  return createDeliver({
    slots: createSlots(10),
    unstored: createSemaphore(10),
    breaker: createBreaker({ now: () => performance.now() }),
    health: { record: () => undefined },
    limits: { take: async () => undefined, applyRetryAfter: async () => undefined },
    connections: carriers.connections,
    deadlineMs: times.deadlineMs,
    requeue: { add: () => Promise.reject(new Error('nothing was to be requeued')) },
    claims: {
      add: async () => ({
        claim: { kind: 'claimed', message: claim },
        claimedAtMs: performance.now(),
      }),
    },
    attempt: createAttempt({
      channel,
      findVersion,
      findApp,
      findCarrier: carriers.find,
      compose,
      pace: async () => true,
      deadlines: createDeadlines(),
      secrets: testSecrets(),
      ...times,
      log,
    }),
    recorder,
    onIntegration: async () => undefined,
    dropTexts: async () => undefined,
    wakeReader: () => undefined,
    backoff,
    channelResends: 1,
    countMessage: () => undefined,
    observeStage: () => {},
    log,
  });
}

async function accept(tenant: Tenant): Promise<string> {
  const { eventId, versionId } = await factories.createEvent(tenant, {
    in_app: channelVersion({
      title: 'Hello {{name}}',
      click_action: '/orders/{{id}}',
      data: { id: '{{id}}' },
    }),
  });
  const id = newId();
  await writeRequests(database.accepting, [
    {
      request: {
        id: newId(),
        accountId: tenant.accountId,
        appId: tenant.appId,
        eventId,
        versionId,
        kind: 'single',
        apiKeyId: undefined,
        idempotencyKey: undefined,
      },
      key: undefined,
      items: [buildItem(id)],
    },
  ]);
  return id;
}

function buildItem(
  messageId: string,
): Parameters<typeof writeRequests>[1][number]['items'][number] {
  const message = {
    id: messageId,
    channel: 'in_app',
    target: userId,
    integrationId: undefined,
    dueAt: undefined,
    timeToLiveMs: 60_000,
    jobId: undefined,
    note: undefined,
  };
  return {
    recipient: JSON.stringify({ user_id: userId }),
    data: '{"name":"<b>Ana</b>","id":7}',
    override: undefined,
    locale: undefined,
    scheduleAt: undefined,
    plan: { locale: undefined, skips: {}, messages: [message] },
  };
}

async function claim(id: string, leaseMs: number): Promise<ClaimedMessage> {
  const [claimed] = await claimMessages(database.delivery, { ids: [id], worker: 'test', leaseMs });
  if (claimed?.kind !== 'claimed') throw new Error(`Not claimed: ${claimed?.kind}`);
  return claimed.message;
}

const longAgoMs = 60 * 60_000;

/** Records an expired lease, like the relay does for a worker that stopped responding. */
async function giveUpLease(id: string): Promise<void> {
  const leases = createLeases({
    readUptime: async () => ({ uptimeMs: longAgoMs, hasOpenMessages: true }),
    now: Date.now,
    async listExpiredLeases(options) {
      const expired = await listExpiredLeases(database.delivery, options);
      return expired.filter((lease) => lease.id === id);
    },
    findVersion: lookUps.findVersion,
    recordResults: (results) => recordResults(database.delivery, results),
    backoff,
    log,
  });
  await eventually(async () => {
    await leases.runOnce();
    const { state } = await database.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(state).toBe('queued');
  });
}

async function readOutcome(id: string) {
  return {
    items: await database.prisma.inboxItem.findMany({ where: { messageId: id } }),
    message: await database.prisma.message.findUniqueOrThrow({
      where: { id },
      include: { attemptRows: { orderBy: { number: 'asc' } } },
    }),
  };
}

describe('an in-app message of a live app', () => {
  test('is delivered without an integration, with its item stored in the same statement as the attempt', async () => {
    const tenant = await factories.createTenant({ delivery: 'live' });
    const id = await accept(tenant);
    await createWorker(await claim(id, 10_000)).deliver({ ids: [id], fairnessKey: tenant.appId });
    const { items, message } = await readOutcome(id);
    expect(items).toMatchObject([
      {
        appId: tenant.appId,
        userId,
        status: 'UNREAD',
        content: {
          title: 'Hello <b>Ana</b>',
          body: '',
          click_action: '/orders/7',
          data: { id: '7' },
        },
      },
    ]);
    expect(message).toMatchObject({ state: 'delivered', dueAt: null, integrationId: null });
    expect(message.attemptRows).toMatchObject([
      { outcome: 'accepted', provider: 'inbox', providerMessageId: id },
    ]);
  });

  test('is one inbox item even if two workers deliver it at the same time', async () => {
    const tenant = await factories.createTenant({ delivery: 'live' });
    const id = await accept(tenant);
    const first = await claim(id, 1);
    await giveUpLease(id);
    const second = await claim(id, 10_000);
    expect([first.attempt, second.attempt]).toEqual([1, 2]);
    await Promise.all(
      [first, first, second, second].map((claimed) =>
        createWorker(claimed).deliver({ ids: [id], fairnessKey: tenant.appId }),
      ),
    );
    const { items, message } = await readOutcome(id);
    expect(items).toHaveLength(1);
    expect(message.state).toBe('delivered');
    expect(message.attemptRows.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
  });
});

test('in the sandbox an in-app message is captured and is in no inbox', async () => {
  const tenant = await factories.createTenant({ delivery: 'sandbox' });
  const id = await accept(tenant);
  await createWorker(await claim(id, 10_000)).deliver({ ids: [id], fairnessKey: tenant.appId });
  const { items, message } = await readOutcome(id);
  expect(items).toEqual([]);
  expect(message.state).toBe('sent');
  const captures = await database.prisma.capture.findMany({ where: { messageId: id } });
  expect(captures).toMatchObject([
    {
      channel: 'in_app',
      provider: 'inbox',
      target: userId,
      request: { operation: 'inbox', body: { user_id: userId, title: 'Hello <b>Ana</b>' } },
    },
  ]);
});
