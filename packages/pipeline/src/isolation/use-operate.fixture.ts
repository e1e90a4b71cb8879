import { createAppEvents, createAppIntegrations, findNamed } from '@belfry/database';
import { messageStates } from '@belfry/shared';
import { createCancelMessages } from '../operate/cancel-messages';
import { createAppCaptures } from '../operate/captures';
import { listFeedMessages } from '../operate/live-feed.sql';
import { cancelMessage } from '../operate/message-changes.sql';
import { createQueueFacts } from '../operate/queue-counts';
import { readItemTimeline, readRequestTimeline } from '../operate/read-request';
import { countItems, readItems } from '../operate/request-items';
import { createRequestLog } from '../operate/request-log';
import { findRequestByKey, readRequestStatus } from '../operate/request-status';
import { resendMessage } from '../operate/resend';
import { createResendRuns } from '../operate/resend-runs';
import { judgeResends } from '../operate/resend-verdict.sql';
import { readUserMessages } from '../operate/user-messages';
import { carryOutResend } from '../relay/resend-by-filter.sql';
import { doubt, person, send, setSensitive, type World } from './world.fixture';

export async function useLog(world: World, messageId: string): Promise<void> {
  const { database, appId, event, integrations } = world;
  const log = createRequestLog(database.requestLog, Object.keys(messageStates));
  const [address] = await judgeResends(database.requestLog, appId, [messageId]);
  const requestId = address?.requestId ?? '';
  const eventIds = await createAppEvents(database.lookUps).listIdsByName(appId, 'order_shipped');
  const { ids } = await log.readPage({ appId });
  const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
  const skipped = await send(world, { skips });
  await world.alter(`UPDATE message SET reason = 'expired' WHERE id = $1`, [messageId]);
  const named = await send(world);
  const filters = [
    { before: ids[0] ?? '', from: requestId },
    { requestId },
    { idempotencyKey: 'send' },
    { eventIds },
    { recipient: person.userId },
    { recipient: person.email, recipientUserIds: [person.userId] },
    { recipient: person.userId, requestId: named.requestId, states: ['queued'] },
    { channels: ['email'], states: ['sent'] },
    { states: ['skipped'] },
    { reason: 'expired' },
    { reason: 'no_address' },
    { channels: ['email'], states: ['failed'], reason: 'expired' },
    { provider: 'smtp', providerChannels: ['email'] },
    { provider: 'captured', providerChannels: ['email'] },
    { integrationIds: [integrations[0]], providerChannels: ['sms'] },
  ];
  const carried = await send(world, {
    channel: 'sms',
    message: { integrationId: integrations[0] },
  });
  const knownIds = [requestId, named.requestId, carried.requestId, ...ids];
  await world.alter(`UPDATE capture SET provider = 'captured'`);
  for (const filter of filters) {
    await log.readPage({ appId, ...filter });
    await log.listMatching({ appId, ...filter }, knownIds);
  }
  await log.readEntries(appId, ids);
  await log.listSince([appId], [requestId]);
  await readItemTimeline(database.accepting, { appId, requestId, item: 0 });
  const page = { appId, requestId, after: undefined, limit: 9 };
  await readRequestStatus(database.lookUps, page);
  await findRequestByKey(database.lookUps, appId, 'send');
  await readItems(database.lookUps, { appId, requestId, from: 0, to: 9 });
  await countItems(database.lookUps, { appId, requestId });
  await readRequestTimeline(database.lookUps, requestId, appId);
  await readRequestTimeline(database.lookUps, requestId);
  await readRequestTimeline(database.lookUps, skipped.requestId, appId);
  await listFeedMessages(database.lookUps, [messageId]);
  const { userId, email } = person;
  await send(world, { message: { integrationId: world.integrations[0] } });
  await readUserMessages(database.lookUps, { appId, userId, addresses: [email] });
  const query = { accountId: world.accountId, appId, providerMessageId: 'p1' };
  for (const text of [requestId, messageId, person.userId, 'order_shipped', 'send']) {
    await findNamed(database.accepting, { ...query, text });
  }
  if (event.eventId !== eventIds[0]) throw new Error('The log does not find the event');
}

/** Messages that count as paused, because of their channel or of their integration. */
export async function useWaits(world: World): Promise<void> {
  const { database, appId, actor, integrations } = world;
  const log = createRequestLog(database.requestLog, ['queued', 'sent', 'failed']);
  const queues = createQueueFacts(database.delivery);
  const all = createAppIntegrations(database.accepting);
  const channels = ['email', 'sms'];
  const { requestId } = await send(world);
  await send(world, { channel: 'sms', message: { integrationId: integrations[0] } });
  await queues.pauseChannel(actor, appId, 'email');
  await all.pause(actor, appId, integrations[0]);
  const filter = { appId, channels, states: ['queued'], waits: 'paused' };
  const { ids } = await log.readPage(filter);
  await log.readEntries(appId, ids);
  await queues.countWaits([appId], channels);
  await createResendRuns(database.accepting).count(filter);
  await readItemTimeline(database.accepting, { appId, requestId, item: 0 });
  await readRequestTimeline(database.lookUps, requestId, appId);
  const { userId, email } = person;
  await readUserMessages(database.lookUps, { appId, userId, addresses: [email] });
  await queues.resumeChannel(actor, appId, 'email');
  await all.resume(actor, appId, integrations[0]);
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
  const doubted = await send(world);
  await doubt(world, doubted.messageId);
  await cancelMessage(pool, actor, { appId, messageId: doubted.messageId });
  await world.alter(`UPDATE message SET state = 'failed', due_at = NULL WHERE state = 'sent'`);
  const runs = createResendRuns(pool);
  const filter = { appId, states: ['failed'], recipient: person.userId, channels: ['email'] };
  const run = { appId, filter, shown: { state: 'failed' }, confirmed: 100, perSecond: 1 };
  const byProvider = { appId, provider: 'smtp', providerChannels: ['email'] };
  await world.alter(`INSERT INTO capture (id, app_id, message_id, attempt, channel, provider, target, content, request, outcome)
     SELECT gen_random_uuid(), app_id, id, 9, channel, 'captured', target, '{}', '{}', '' FROM message WHERE state = 'failed'`);
  await runs.count({ ...byProvider, provider: 'captured' });
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
  await carryOutResend(pool);
  const text = started?.id ?? '';
  await findNamed(pool, { accountId: world.accountId, appId, text, providerMessageId: undefined });
  await runs.list(appId);
  await runs.find(appId, started?.id ?? '');
  await runs.readProgress(started?.id ?? '');
  await resendMessage(pool, actor, { appId, messageId: later.messageId, isConfirmed: true });
}

/** Finds requests by metadata, with and without filters of messages. */
export async function useMetadata(world: World): Promise<void> {
  const { database, appId, accountId } = world;
  const log = createRequestLog(database.requestLog, Object.keys(messageStates));
  const stored = { metadata: '{"order":"A-1001"}', userId: 'ben', target: 'ben@example.com' };
  const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
  const skipped = await send(world, { ...stored, skips });
  const expired = await send(world, stored);
  await world.alter(`UPDATE message SET reason = 'expired' WHERE id = $1`, [expired.messageId]);
  const metadata = 'order:A-1001';
  const filters = [{}, { reason: 'expired' }, { reason: 'no_address' }, { channels: ['email'] }];
  for (const filter of filters) {
    await log.readPage({ appId, metadata, ...filter });
    const ids = [skipped.requestId, expired.requestId];
    await log.listMatching({ appId, metadata, ...filter }, ids);
  }
  await createResendRuns(database.accepting).count({ appId, metadata });
  const query = { accountId, appId, providerMessageId: undefined };
  await findNamed(database.accepting, { ...query, text: metadata });
}

/** Cancels planned and unplanned items, by key and by request. */
export async function useCancels(world: World): Promise<void> {
  const { database, appId } = world;
  const pool = database.accepting;
  const cancelMessages = createCancelMessages({ pool, write: (work) => work() });
  const cancelKey = 'order-1';
  const none = { cancelKey: undefined, requestId: undefined, userIds: undefined, after: undefined };
  await send(world, { cancelKey, data: '"sealed"' });
  await doubt(world, (await send(world, { cancelKey })).messageId);
  const { requestId } = await send(world, { cancelKey, unplanned: 2 });
  await cancelMessages({ ...none, appId, requestId, userIds: [person.userId] });
  await cancelMessages({ ...none, appId, cancelKey });
  await cancelMessages({ ...none, appId, cancelKey, after: requestId });
}
