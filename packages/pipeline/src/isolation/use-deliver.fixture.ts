import {
  createAccountApps,
  createAppIntegrations,
  createSuppressions,
  fillSlackIntegration,
  markActive,
  markNeedsAttention,
  markSlackRevoked,
  writeMailSignature,
} from '@belfry/database';
import { claimEligibleMessages, claimMessages } from '../deliver/claim.sql';
import { readEligibility, readObstacles } from '../deliver/eligibility.sql';
import { recordResults } from '../deliver/record.sql';
import { requeueMessages } from '../deliver/requeue.sql';
import { readWaitingFacts } from '../deliver/waiting-message.sql';
import { resultFor } from '../message-row.fixture';
import { createQueueFacts } from '../operate/queue-counts';
import { judgeResends } from '../operate/resend-verdict.sql';
import { optionalNews } from './use-preferences.fixture';
import { claim, person, readRevision, send, type World } from './world.fixture';

/** Reads the verdict of a claim on a message, and on one that resends it. */
async function judge({ database, appId }: World, messageId: string): Promise<void> {
  await readObstacles(database.accepting, appId, [messageId]);
  await judgeResends(database.accepting, appId, [messageId]);
}

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
    await judge(world, messageId);
    await claimSome(database.delivery, claim([messageId]));
  }
  const candidate = {
    ...{ channel: 'email', target: blocked.address, sender: undefined, userId: person.userId },
    ...{ deviceId: undefined, integrationId: first, chain: [first, second], ...optionalNews },
  };
  await readEligibility(database.accepting, appId, [candidate]);
  await suppressions.remove(actor, appId, suppression ?? '');
  const queues = createQueueFacts(database.accepting);
  await queues.pauseChannel(actor, appId, 'email');
  for (const claimSome of [claimEligibleMessages, claimMessages]) {
    const { messageId } = await send(world, { message: { integrationId: second } });
    await judge(world, messageId);
    await claimSome(database.delivery, claim([messageId]));
  }
  await readEligibility(database.accepting, appId, [candidate]);
  await queues.resumeChannel(actor, appId, 'email');
  for (const userId of [person.userId, 'somebody else']) {
    const push = await send(world, { channel: 'push', target: person.token, userId });
    await judge(world, push.messageId);
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
  const firstRevision = await readRevision(world, first);
  const secondRevision = await readRevision(world, second);
  await markNeedsAttention(pool, { ...firstRevision, reason: 'refused' });
  const { messageId } = await send(world, { message: { integrationId: first } });
  await judge(world, messageId);
  await claimEligibleMessages(pool, claim([messageId]));
  await createAccountApps(pool).list(actor.accountId);
  const chain = { integrationId: first, chain: [first, second], userId: undefined };
  const candidate = { channel: 'email', target: 'x@example.com', sender: undefined, ...chain };
  await readEligibility(pool, world.appId, [
    { ...candidate, ...optionalNews, deviceId: undefined },
  ]);
  await claimMessages(pool, claim([messageId]));
  const back = await send(world, { message: { integrationId: first } });
  await readWaitingFacts(pool, [back.messageId]);
  await requeueMessages(pool, [{ id: back.messageId, waitMs: 1_000, why: 'circuit' }]);
  await markNeedsAttention(pool, { ...secondRevision, reason: 'refused' });
  const waiting = await send(world, { message: { integrationId: first } });
  await claimMessages(pool, claim([waiting.messageId]));
  await markActive(pool, secondRevision);
  const tests = createAppIntegrations(pool);
  await tests.recordTestResult(actor, world.appId, firstRevision, { isWorking: true, detail: '' });
  await writeMailSignature(pool, { integrationId: first, signature: 'The mail server signs.' });
  const settings = { team_id: 'T1', app_id: 'A1', bot_user_id: 'U1' };
  const install = { integrationId: first, credentials: 'sealed', settings };
  await fillSlackIntegration(pool, actor, install);
  const revoked = { teamId: 'T1', appId: 'A1', botUserIds: ['U1'], reason: 'revoked' };
  await markSlackRevoked(pool, revoked);
  await markActive(pool, await readRevision(world, first));
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

/** Creates three inbox items of the user; returns their message ids. */
export async function useInApp(world: World): Promise<string[]> {
  const ids: string[] = [];
  for (let item = 0; item < 3; item += 1) {
    const { messageId } = await send(world, { channel: 'in_app', target: person.userId });
    await claimMessages(world.database.hot, claim([messageId]));
    const inboxItem = { title: 'Hello' };
    await recordResults(world.database.hot, [resultFor(messageId, { inboxItem })]);
    ids.push(messageId);
  }
  return ids;
}
