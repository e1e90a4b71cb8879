import { createUserPreferences, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type { Contact } from '@belfry/shared';
import {
  channelVersion,
  createFactories,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { eraseUser } from '../operate/erase';
import { explainRequest } from '../operate/explain-request';
import { readRequestTimeline } from '../operate/read-request';
import { resendMessage } from '../operate/resend';
import { claimEligibleMessages } from './claim.sql';
import { applyContactUpdates } from './contact-updates.sql';
import { recordResults } from './record.sql';

let database: Database;
let factories: Factories;
let tenant: Tenant;
let event: { eventId: string; versionId: string };
let userId: string;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
  factories = createFactories(database);
});

beforeEach(async () => {
  tenant = await factories.createTenant();
  userId = newId();
  await factories.createCategory(tenant, 'news');
  await createUser(tenant.appId);
  event = await createEvent('optional');
});

afterAll(() => database.close());

const channels = { email: channelVersion({ subject: 'x' }) };
const createEvent = (kind: 'mandatory' | 'optional') =>
  factories.createEvent(tenant, channels, { kind, category: 'news' });
const createUser = (appId: string) =>
  database.prisma.user.create({ data: { id: newId(), appId, userId } });
const write = () =>
  writeMessageRow({ database, tenant, event }, { recipient: { user_id: userId } });
const read = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });
const countOptOuts = () => database.prisma.userOptOut.count({ where: { userId } });
const newsOff = { categories: { news: { disabled: true } } };

function set(preferences: Contact, appId = tenant.appId) {
  const address = { appId, userId, source: 'api' } as const;
  return createUserPreferences(database.accepting).writePreferences({ ...address, preferences });
}

async function explain(id: string): Promise<string> {
  const { requestId } = await read(id);
  const timeline = await readRequestTimeline(database.lookUps, requestId);
  return timeline ? explainRequest(timeline, new Date()).join('\n') : '';
}

describe('an opt-out after a message was accepted', () => {
  test('skips it when it is due, and the request names the preference', async () => {
    const id = await write();
    await set({ categories: { news: { channel_preferences: { email: { disabled: true } } } } });
    const rule = 'Preferences of the recipient: category “news” is off for email.';
    expect(await explain(id)).toContain(`it would be skipped (opted_out): ${rule}`);
    expect(await claimEligibleMessages(database.hot, buildClaim(id))).toEqual([undefined]);
    expect(await claimMessageRow({ database }, id)).toMatchObject({
      ...{ kind: 'settled', state: 'skipped', reason: 'opted_out' },
    });
    expect(await read(id)).toMatchObject({ state: 'skipped', dueAt: null, attempts: 0 });
    await set({});
    expect(await explain(id)).toContain(`(opted_out: ${rule})`);
  });

  test('by a user of another account with the same id changes nothing', async () => {
    const other = await factories.createTenant();
    await createUser(other.appId);
    const id = await write();
    await set({ disabled: true }, other.appId);
    const [claimed] = await claimEligibleMessages(database.hot, buildClaim(id));
    expect(claimed).toMatchObject({ kind: 'claimed' });
  });

  test('does not stop a mandatory event, or one older than kinds', async () => {
    const [optional, mandatory] = [event, await createEvent('mandatory')];
    event = mandatory;
    const ids = [await write()];
    event = optional;
    ids.push(await write());
    await database.delivery.query(
      `UPDATE event_version SET definition = definition - 'kind' WHERE id = $1`,
      [optional.versionId],
    );
    await set({ disabled: true });
    for (const id of ids) {
      expect(await claimMessageRow({ database }, id)).toMatchObject({ kind: 'claimed' });
    }
  });

  test('refuses a resend, until it is taken back', async () => {
    const id = await write();
    await claimMessageRow({ database }, id);
    const failed = { state: 'failed', reason: 'rejected_recipient' } as const;
    await recordResults(database.hot, [resultFor(id, { outcome: 'rejected', next: failed })]);
    const actor = { accountId: tenant.accountId, operatorId: undefined };
    const input = { appId: tenant.appId, messageId: id, isConfirmed: true };
    await set(newsOff);
    const refused = await resendMessage(database.lookUps, actor, input);
    const because = expect.stringContaining('would be skipped');
    expect(refused).toEqual({ state: 'refused', because });
    await set({});
    expect(await resendMessage(database.lookUps, actor, input)).toMatchObject({ state: 'resent' });
  });
});

function buildClaim(id: string) {
  return { ids: [id], worker: 'w', leaseMs: 20_000 };
}

test('only users who switched something off are listed, whatever statement writes them', async () => {
  await set({ disabled: false, channel_preferences: { sms: { disabled: false } } });
  expect(await countOptOuts()).toBe(0);
  await set(newsOff);
  await set({ ...newsOff, disabled: true });
  expect(await countOptOuts()).toBe(1);
  const where = { appId_userId: { appId: tenant.appId, userId } };
  await database.prisma.user.update({ where, data: { contact: { preferences: {} } } });
  expect(await countOptOuts()).toBe(0);
});

test('erasing a person removes the preferences', async () => {
  await set(newsOff);
  const { id: userSid } = await database.prisma.user.findFirstOrThrow({ where: { userId } });
  const actor = { accountId: tenant.accountId, operatorId: undefined };
  await eraseUser(database.lookUps, actor, { appId: tenant.appId, userSid, addresses: [] });
  expect(await countOptOuts()).toBe(0);
  expect(await database.prisma.user.count({ where: { userId } })).toBe(0);
});

describe('a suppression for optional events', () => {
  async function suppress(reason: 'complained' | 'opted_out' | 'bounced') {
    const change = { change: 'suppress', reason, sender: '' } as const;
    await applyContactUpdates(database.delivery, [{ messageId: await write(), changes: [change] }]);
    const { appId } = tenant;
    return database.prisma.suppression.findFirstOrThrow({ where: { appId } });
  }

  test('stops an optional message, and a mandatory one is sent and says why', async () => {
    expect(await suppress('complained')).toMatchObject({ scope: 'optional', source: 'complaint' });
    expect(await claimMessageRow({ database }, await write())).toMatchObject({
      ...{ kind: 'settled', reason: 'suppressed' },
    });
    event = await createEvent('mandatory');
    const id = await write();
    expect(await claimEligibleMessages(database.hot, buildClaim(id))).toEqual([undefined]);
    expect(await claimMessageRow({ database }, id)).toMatchObject({ kind: 'claimed' });
    expect(await explain(id)).toContain(
      'The address is suppressed for optional events (complained). The event is mandatory, so the message was sent.',
    );
  });

  test('becomes one for all messages after a bounce, and stays so', async () => {
    expect(await suppress('opted_out')).toMatchObject({ scope: 'optional', source: 'unsubscribe' });
    expect(await suppress('bounced')).toMatchObject({ scope: 'all', source: 'bounce' });
    expect(await suppress('complained')).toMatchObject({ scope: 'all', reason: 'bounced' });
    event = await createEvent('mandatory');
    expect(await claimMessageRow({ database }, await write())).toMatchObject({
      ...{ kind: 'settled', reason: 'suppressed' },
    });
  });
});
