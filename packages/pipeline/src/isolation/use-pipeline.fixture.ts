import {
  createAccountApps,
  createSuppressions,
  fillSlackIntegration,
  findNamed,
  listUsableIntegrations,
  markActive,
  markNeedsAttention,
  markSlackRevoked,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { claimMessages } from '../deliver/claim.sql';
import { writeDeliveryCounts } from '../deliver/delivery-counts.sql';
import { readEligibility } from '../deliver/eligibility.sql';
import { claimEligibleMessages } from '../deliver/fast-claim.sql';
import { recordResults } from '../deliver/record.sql';
import { requeueMessages } from '../deliver/requeue.sql';
import { readWaitingFacts } from '../deliver/waiting-message.sql';
import { resultFor } from '../message-row.fixture';
import { createAppCaptures } from '../operate/captures';
import { readRequestTimeline } from '../operate/doctor.sql';
import { listFeedMessages, listFeedSkips } from '../operate/live-feed.sql';
import {
  cancelMessage,
  findResendable,
  findVersionOfRequest,
  writeGeneration,
} from '../operate/message-changes.sql';
import { createQueueFacts } from '../operate/queue-counts';
import { readItemTimeline } from '../operate/read-request';
import { createRequestLog } from '../operate/request-log';
import { readRequestStatus } from '../operate/request-status';
import { createResendRuns } from '../operate/resend-runs';
import { countQueued, enqueueDue } from '../relay/enqueue-due.sql';
import { findUnplannedRequest, listUnplannedItems, writePlans } from '../relay/fan-out.sql';
import {
  expireWaiting,
  listDoubtedMessages,
  listExpiredLeases,
  listUnplannedRequests,
  replaceJobs,
} from '../relay/relay.sql';
import { carryOutResend } from '../relay/resend-by-filter.sql';
import { newMessage, person, send, setSensitive, type World } from './world.fixture';

const claim = (ids: string[]) => ({ ids, worker: 'worker', leaseMs: 20_000 });

/** Runs claims with each obstacle once; returns the ids of two messages that were sent. */
export async function useClaims(world: World): Promise<string[]> {
  const { database, integrations, actor, appId } = world;
  const [first, second] = integrations;
  const ids: string[] = [];
  for (const target of [person.email, 'another@example.com']) {
    const { messageId } = await send(world, {
      target,
      data: '{"a":1}',
      message: { integrationId: first },
    });
    ids.push(messageId);
  }
  await claimEligibleMessages(database.hot, claim(ids.slice(0, 1)));
  await claimMessages(database.delivery, claim(ids.slice(1)));
  await recordResults(
    database.hot,
    ids.map((id) => resultFor(id, { provider: 'smtp', providerMessageId: 'p1' })),
  );
  await recordResults(database.hot, []);
  const suppressions = createSuppressions(database.accepting);
  const blocked = { channel: 'email', address: 'blocked@example.com', detail: '' };
  const suppression = await suppressions.add(actor, appId, blocked);
  for (const claimSome of [claimEligibleMessages, claimMessages]) {
    const { messageId } = await send(world, {
      target: blocked.address,
      message: { integrationId: second },
    });
    await claimSome(database.delivery, claim([messageId]));
  }
  const candidate = {
    ...{ channel: 'email', target: blocked.address, sender: undefined, userId: person.userId },
    ...{ deviceId: undefined, integrationId: first, chain: [first, second] },
  };
  await readEligibility(database.accepting, appId, [candidate]);
  await suppressions.remove(actor, appId, suppression ?? '');
  const queues = createQueueFacts(database.accepting);
  await queues.pauseChannel(actor, appId, 'email');
  for (const claimSome of [claimEligibleMessages, claimMessages]) {
    const { messageId } = await send(world, { message: { integrationId: second } });
    await claimSome(database.delivery, claim([messageId]));
  }
  await readEligibility(database.accepting, appId, [candidate]);
  await queues.resumeChannel(actor, appId, 'email');
  for (const userId of [person.userId, 'somebody else']) {
    const push = await send(world, { channel: 'push', target: person.token, userId });
    await claimMessages(database.delivery, claim([push.messageId]));
    const toPhone = { ...candidate, channel: 'push', target: person.token, userId };
    await readEligibility(database.accepting, appId, [toPhone]);
  }
  await useNextIntegration(world);
  await useFailover(world);
  return ids;
}

/** The second attempt uses another integration than the first. */
async function useNextIntegration(world: World): Promise<void> {
  const [first, second] = world.integrations;
  for (const claimSome of [claimEligibleMessages, claimMessages]) {
    const { messageId } = await send(world, { message: { integrationId: first } });
    await claimSome(world.database.hot, claim([messageId]));
    const next = { state: 'queued', dueAfterMs: 0, integrationId: second } as const;
    await recordResults(world.database.hot, [resultFor(messageId, { outcome: 'retry', next })]);
    await claimSome(world.database.hot, claim([messageId]));
    const undone = { state: 'queued', dueAfterMs: 0, isUnclaimed: true } as const;
    await recordResults(world.database.hot, [
      resultFor(messageId, { attempt: 2, outcome: 'retry', next: undone }),
    ]);
  }
}

async function useFailover(world: World): Promise<void> {
  const { database, integrations, actor } = world;
  const [first, second] = integrations;
  const pool = database.delivery;
  await markNeedsAttention(pool, { integrationId: first, reason: 'refused' });
  const { messageId } = await send(world, { message: { integrationId: first } });
  await claimEligibleMessages(pool, claim([messageId]));
  await createAccountApps(pool).list(actor.accountId);
  const chain = { integrationId: first, chain: [first, second], userId: undefined };
  const candidate = { channel: 'email', target: 'x@example.com', sender: undefined, ...chain };
  await readEligibility(pool, world.appId, [{ ...candidate, deviceId: undefined }]);
  await claimMessages(pool, claim([messageId]));
  const back = await send(world, { message: { integrationId: first } });
  await readWaitingFacts(pool, [back.messageId]);
  await requeueMessages(pool, [{ id: back.messageId, waitMs: 1_000, why: 'circuit_open' }]);
  await markNeedsAttention(pool, { integrationId: second, reason: 'refused' });
  const waiting = await send(world, { message: { integrationId: first } });
  await claimMessages(pool, claim([waiting.messageId]));
  await markActive(pool, second);
  await markActive(pool, first, actor);
  await listUsableIntegrations(pool, [first, second]);
  const settings = { team_id: 'T1', app_id: 'A1', bot_user_id: 'U1' };
  const install = { integrationId: first, credentials: 'sealed', settings };
  await fillSlackIntegration(pool, actor, install);
  const revoked = { teamId: 'T1', appId: 'A1', botUserIds: ['U1'], reason: 'revoked' };
  await markSlackRevoked(pool, revoked);
  await markActive(pool, first);
}

/** Applies the contact updates of provider responses. */
export async function useDataChanges(world: World): Promise<void> {
  const { database } = world;
  const pool = database.hot;
  const mail = await send(world);
  const push = await send(world, { channel: 'push', target: person.token });
  await claimMessages(pool, claim([mail.messageId, push.messageId]));
  await recordResults(pool, [
    resultFor(mail.messageId, {
      changes: [
        { change: 'suppress', reason: 'bounced', sender: '' },
        { change: 'move_address', path: ['email'], to: person.email },
      ],
      inboxItem: { title: 'Hello' },
    }),
    resultFor(push.messageId, { changes: [{ change: 'disable_device', reason: 'gone' }] }),
  ]);
  const disabled = await send(world, { channel: 'push', target: person.token });
  await claimMessages(pool, claim([disabled.messageId]));
  await world.alter('DELETE FROM suppression');
  await world.alter('UPDATE device SET notifications_disabled = false, disabled_reason = NULL');
}

/** Creates two inbox items of the user; returns their message ids. */
export async function useInApp(world: World): Promise<string[]> {
  const ids: string[] = [];
  for (let item = 0; item < 2; item += 1) {
    const { messageId } = await send(world, { channel: 'in_app', target: person.userId });
    await claimMessages(world.database.hot, claim([messageId]));
    const inboxItem = { title: 'Hello' };
    await recordResults(world.database.hot, [resultFor(messageId, { inboxItem })]);
    ids.push(messageId);
  }
  return ids;
}

export async function useRelay(world: World): Promise<void> {
  const { database, alter } = world;
  const pool = database.delivery;
  await send(world, { channel: 'sms', target: '+4520000000' });
  await enqueueDue(pool, {
    after: undefined,
    share: (groups) => groups.map((group) => ({ ...group, messages: 9 })),
    gather: (messages) => [{ jobId: newId(), ids: messages.map(({ id }) => id) }],
  });
  await countQueued(pool);
  const [doubted] = await listDoubtedMessages(pool, { channel: 'sms', limit: 9, dueForMs: 0 });
  if (doubted) {
    await replaceJobs(pool, [{ id: doubted.id, jobId: newId(), previousJobId: doubted.jobId }]);
  }
  const lost = await send(world);
  await claimMessages(pool, claim([lost.messageId]));
  await alter(`UPDATE message SET due_at = now() - interval '1 s' WHERE id = $1`, [lost.messageId]);
  await listExpiredLeases(pool, { limit: 9, backForMs: 600_000 });
  await send(world, { data: '"sealed"', message: { timeToLiveMs: -1 } });
  await expireWaiting(pool, 9);
  await writeDeliveryCounts(pool, [{ appId: world.appId, channel: 'email', accepted: 1 }]);
  await alter(`UPDATE delivery_count SET at = at - interval '1 minute'`);
}

export async function useFanOut(world: World): Promise<void> {
  const pool = world.database.delivery;
  const { requestId } = await send(world, { unplanned: 2 });
  await listUnplannedRequests(pool, { olderThanMs: 0, limit: 9 });
  await readStatus(world, requestId);
  const request = await findUnplannedRequest(pool, requestId);
  const items = await listUnplannedItems(pool, { requestId, from: 0, limit: 9 });
  if (!request) throw new Error('The request has nothing to plan');
  const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
  await writePlans(pool, request, {
    from: 0,
    to: 2,
    items: items.map(({ item }) => ({
      item,
      locale: undefined,
      plan: { messages: [newMessage(newId())], skips, locale: 'de' },
    })),
  });
  await listFeedSkips(world.database.prisma, [requestId]);
}

async function readStatus({ database, appId }: World, requestId: string): Promise<void> {
  await readRequestStatus(database.lookUps, { appId, requestId, after: undefined, limit: 9 });
}

export async function useLog(world: World, messageId: string): Promise<void> {
  const { database, appId, event } = world;
  const log = createRequestLog(database.requestLog, ['queued', 'sent', 'failed']);
  const address = await findResendable(database.requestLog, appId, messageId);
  const requestId = address?.requestId ?? '';
  const eventIds = await log.findEventIds(appId, 'order_shipped');
  const { ids } = await log.readPage({ appId });
  const filters = [
    { before: ids[0] ?? '', from: requestId },
    { requestId },
    { idempotencyKey: 'send' },
    { eventIds },
    { recipient: person.userId },
    { recipient: person.email },
    { channels: ['email'], states: ['sent'] },
    { states: ['skipped'] },
    { provider: 'smtp', providerChannels: ['email'] },
  ];
  for (const filter of filters) await log.readPage({ appId, ...filter });
  await log.readEntries(appId, ids);
  await log.listSince([appId], requestId);
  await readItemTimeline(database.accepting, { appId, requestId, item: 0 });
  await readStatus(world, requestId);
  await readRequestTimeline(database.prisma, requestId, appId);
  await readRequestTimeline(database.prisma, requestId);
  await listFeedMessages(database.prisma, [messageId]);
  await findVersionOfRequest(database.accepting, requestId);
  const query = { accountId: world.accountId, appId };
  for (const text of [requestId, messageId, person.userId, person.email, 'send']) {
    await findNamed(database.accepting, { ...query, text });
  }
  if (event.eventId !== eventIds[0]) throw new Error('The log does not find the event');
}

export async function useCapturePages(world: World): Promise<void> {
  const { database, appId, actor } = world;
  const captures = createAppCaptures(database.accepting);
  const all = { appId, channel: undefined, event: undefined, words: [], before: undefined };
  await world.alter(
    `UPDATE message SET notes = '{"segments":1}' WHERE id IN (SELECT message_id FROM capture)`,
  );
  const [capture] = await captures.list(all);
  const id = capture?.id ?? '';
  await captures.list({ ...all, before: id, words: ['hello'] });
  await captures.find(appId, id);
  await captures.remove(actor, { appId, id });
}

export async function useResends(world: World): Promise<void> {
  const { database, appId, actor } = world;
  const pool = database.accepting;
  const later = await send(world, { message: { dueAt: new Date(Date.now() + 3_600_000) } });
  await cancelMessage(pool, actor, { appId, messageId: later.messageId });
  await world.alter(`UPDATE message SET state = 'failed', due_at = NULL WHERE state = 'sent'`);
  const runs = createResendRuns(pool);
  const filter = { appId, states: ['failed'], recipient: person.userId, channels: ['email'] };
  const run = { appId, filter, shown: { state: 'failed' }, confirmed: 100, perSecond: 1 };
  const byProvider = { appId, provider: 'smtp', providerChannels: ['email'] };
  for (const isSensitive of [true, false]) {
    await setSensitive(world, isSensitive);
    await runs.count(filter);
    await runs.count(byProvider);
    if (isSensitive) await runs.start(actor, run);
  }
  const cancelled = await runs.start(actor, run);
  await runs.hasRunning(appId);
  await runs.cancel(actor, { appId, id: cancelled?.id ?? '' });
  const started = await runs.start(actor, run);
  await carryOutResend(pool, async (_app, candidates) =>
    candidates.map(({ id, stateThen }) => ({
      messageId: id,
      generation: {
        id: newId(),
        messageId: id,
        state: stateThen,
        integrationId: world.integrations[0],
        timeToLiveMs: 60_000,
      },
    })),
  );
  const text = started?.id ?? '';
  await findNamed(pool, { accountId: world.accountId, appId, text });
  await runs.list(appId);
  await runs.find(appId, started?.id ?? '');
  await runs.readProgress(started?.id ?? '');
  const generation = { integrationId: undefined, timeToLiveMs: 60_000, state: 'skipped' };
  await writeGeneration(pool, actor, {
    appId,
    generation: { ...generation, id: newId(), messageId: later.messageId },
  });
}
