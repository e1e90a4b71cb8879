import { createDevices, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { type EventKind, findOptOut, readPreferences } from '@belfry/shared';
import {
  channelVersion,
  createFactories,
  isFullRun,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import fc from 'fast-check';
import { writeMessageRow } from '../message-row.fixture';
import { readRequestTimeline } from '../operate/read-request';
import { judgeResends } from '../operate/resend-verdict.sql';
import { writeGenerations } from '../operate/write-generations.sql';
import { claimEligibleMessages, claimMessages } from './claim.sql';
import { readEligibility, skippingObstacles } from './eligibility.sql';

/** The examples below come first. */
const judgedWorlds = isFullRun() ? 500 : 120;

let database: Database;
let factories: ReturnType<typeof createFactories>;
/** Its users have the same ids, and switched everything off. */
let otherAccount: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  factories = createFactories(database);
  otherAccount = await factories.createTenant();
});

afterAll(() => database.close());

const integrationStates = ['active', 'paused', 'needs_attention', 'removed'] as const;
const senders = ['+4520000001', '+4520000002'] as const;

type IntegrationState = (typeof integrationStates)[number];

/** Everything that a verdict reads. Indexes of senders; undefined is none. */
type World = {
  channel: 'email' | 'sms' | 'push' | 'onesignal';
  /** In the order of the chain; the message has the one at `current`. */
  integrations: { state: IntegrationState; sender: number | undefined }[];
  current: number;
  calledSender: number | undefined;
  suppressions: { sender: 'every sender' | number; scope: 'all' | 'optional' }[];
  /** Undefined is a version older than kinds. */
  kind: EventKind | undefined;
  category: 'news' | undefined;
  stored: Switches;
  /** `preferences` of the call. */
  call: Switches;
  isPaused: boolean;
  isExpired: boolean;
  device: {
    state: 'none' | 'own' | 'moved' | 'off' | 'dead' | 'deleted' | 'other token';
    isPlanned: boolean;
    isUserNamed: boolean;
  };
};

/** Whether each level is switched off; undefined is no preference. */
type Switches = Partial<
  Record<'all' | 'channel' | 'category' | 'categoryAndChannel', boolean | undefined>
>;

function toPreferences({ all, channel, category, categoryAndChannel }: Switches, name: string) {
  return {
    ...(all !== undefined && { disabled: all }),
    ...(channel !== undefined && { channel_preferences: { [name]: { disabled: channel } } }),
    categories: {
      sports: { disabled: true },
      news: {
        ...(category !== undefined && { disabled: category }),
        ...(categoryAndChannel !== undefined && {
          channel_preferences: { [name]: { disabled: categoryAndChannel } },
        }),
      },
    },
  };
}

const level = fc.option(fc.boolean(), { nil: undefined });
const switches = fc.record({
  ...{ all: level, channel: level, category: level, categoryAndChannel: level },
});
const none: Switches = {};

const sender = fc.option(fc.nat(senders.length - 1), { nil: undefined });
const worlds: fc.Arbitrary<World> = fc.record({
  channel: fc.constantFrom('email', 'sms', 'push', 'onesignal'),
  integrations: fc.array(
    fc.record({
      state: fc.oneof(
        { weight: 2, arbitrary: fc.constant('active' as const) },
        { weight: 2, arbitrary: fc.constantFrom(...integrationStates) },
      ),
      sender,
    }),
    { maxLength: 3 },
  ),
  current: fc.nat(2),
  calledSender: sender,
  suppressions: fc.uniqueArray(
    fc.record({
      sender: fc.oneof(fc.constant('every sender' as const), fc.nat(senders.length - 1)),
      scope: fc.constantFrom('all' as const, 'optional' as const),
    }),
    { maxLength: 2, selector: ({ sender: which }) => which },
  ),
  kind: fc.constantFrom('optional', 'optional', 'mandatory', undefined),
  category: fc.constantFrom('news', undefined),
  stored: fc.oneof(fc.constant(none), switches),
  call: fc.oneof({ weight: 3, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: switches }),
  isPaused: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  isExpired: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  device: fc.record({
    state: fc.constantFrom('none', 'own', 'moved', 'off', 'dead', 'deleted', 'other token'),
    isPlanned: fc.boolean(),
    isUserNamed: fc.boolean(),
  }),
});

const free: World = {
  ...{ channel: 'email', integrations: [], current: 0, calledSender: undefined, suppressions: [] },
  ...{ isPaused: false, isExpired: false },
  ...{ kind: 'optional', category: 'news', stored: none, call: none },
  device: { state: 'none', isPlanned: false, isUserNamed: false },
};
const toAttend = { state: 'needs_attention', sender: undefined } as const;
const active = { state: 'active', sender: undefined } as const;

/** One world for each verdict. */
const examples: Record<string, World> = {
  undefined: free,
  device_gone: {
    ...{ ...free, channel: 'push' },
    device: { state: 'moved', isPlanned: true, isUserNamed: false },
  },
  expired: { ...free, isExpired: true },
  failover: { ...free, integrations: [toAttend, active] },
  integration_removed: { ...free, integrations: [{ state: 'removed', sender: undefined }] },
  needs_attention: { ...free, integrations: [toAttend] },
  opted_out: {
    ...{ ...free, channel: 'push' },
    device: { state: 'off', isPlanned: true, isUserNamed: true },
  },
  paused: { ...free, isPaused: true },
  suppressed: { ...free, calledSender: 1, suppressions: [{ sender: 1, scope: 'all' }] },
};

const named = { state: 'none', isPlanned: false, isUserNamed: true } as const;
/** Opt-outs by preference, which random worlds rarely have alone, and what lets a message pass them. */
const preferenceExamples: World[] = [
  { ...free, device: named, stored: { all: true } },
  { ...free, device: named, stored: { all: true, channel: false } },
  { ...free, device: named, stored: { channel: true, category: false } },
  { ...free, device: named, stored: { category: true, categoryAndChannel: false } },
  { ...free, device: named, stored: { categoryAndChannel: true } },
  { ...free, device: named, stored: { category: true }, category: undefined },
  { ...free, device: named, stored: { all: true }, call: { all: false } },
  { ...free, device: named, stored: { channel: true }, call: { all: false } },
  { ...free, device: named, stored: { all: true }, kind: 'mandatory' },
  { ...free, device: named, stored: { all: true }, kind: undefined },
  { ...free, kind: 'mandatory', suppressions: [{ sender: 'every sender', scope: 'optional' }] },
  { ...free, kind: undefined, suppressions: [{ sender: 'every sender', scope: 'optional' }] },
];

const playerId = '22222222-2222-4222-8222-222222222222';

async function createIntegrations(tenant: Tenant, { channel, integrations }: World) {
  const ids: string[] = [];
  for (const { state, sender: index } of integrations) {
    const settings = index === undefined ? {} : { sender: senders[index] };
    const { id } = await factories.createIntegration(tenant, {
      ...{ channel, provider: 'sandbox', settings },
    });
    // A probe that is due would let one message pass: that is the worker's, not the verdict's.
    const probeAt = new Date(Date.now() + 60_000);
    const data =
      state === 'removed' ? { deletedAt: new Date() } : { state, probeAt, stateReason: 'refused' };
    await database.prisma.integration.update({ where: { id }, data });
    ids.push(id);
  }
  return ids;
}

async function createDevice({ appId }: Tenant, { device: { state } }: World) {
  const [userId, otherId, token, otherToken] = [newId(), newId(), newId(), newId()];
  for (const id of [userId, otherId]) {
    await database.prisma.user.create({ data: { id: newId(), appId, userId: id } });
  }
  if (state === 'none') return { userId, token, deviceId: newId() };
  const devices = createDevices({ pool: database.accepting, newId });
  const fields = { onesignal_player_id: playerId };
  const device = { fields, fcmToken: token };
  const address = { appId, userId };
  const { deviceSid } = await devices.addDevice(database.accepting, { ...address, device });
  const update = (change: object) =>
    devices.updateDevice(database.accepting, {
      ...{ ...address, deviceId: deviceSid, device: { fields, ...change } },
    });
  if (state === 'off') await update({ notificationsDisabled: true });
  if (state === 'other token') await update({ fcmToken: otherToken });
  if (state === 'deleted') await devices.deleteDevice({ ...address, deviceId: deviceSid });
  if (state === 'moved') {
    await devices.addDevice(database.accepting, { appId, userId: otherId, device });
  }
  if (state === 'dead') {
    const data = { notificationsDisabled: true, disabledReason: 'UNREGISTERED' };
    await database.prisma.device.update({ where: { id: deviceSid }, data });
  }
  return { userId, token, deviceId: deviceSid };
}

async function createEvent(
  tenant: Tenant,
  channels: Parameters<typeof factories.createEvent>[1],
  { kind, category }: World,
) {
  await factories.createCategory(tenant, 'news');
  const options = { ...(kind && { kind }), ...(category && { category }) };
  const event = await factories.createEvent(tenant, channels, options);
  if (kind) return event;
  const text = `UPDATE event_version SET definition = definition - 'kind' WHERE id = $1`;
  await database.delivery.query(text, [event.versionId]);
  return event;
}

async function storePreferences({ appId }: Tenant, userId: string, preferences: object) {
  const where = { appId_userId: { appId, userId } };
  await database.prisma.user.update({ where, data: { contact: { preferences } } });
  const twin = { id: newId(), appId: otherAccount.appId, userId };
  const contact = { preferences: { disabled: true } };
  await database.prisma.user.create({ data: { ...twin, contact } });
}

/** Writes the message of a world, and the candidate that a dry run would make of the same call. */
async function build(world: World) {
  const { channel } = world;
  const tenant = await factories.createTenant();
  const integrationIds = await createIntegrations(tenant, world);
  const version = channelVersion({ text: 'Hi' }, { integrationIds });
  const { appId } = tenant;
  const { kind, category } = world;
  const event = await createEvent(tenant, { [channel]: version }, world);
  const { userId, token, deviceId } = await createDevice(tenant, world);
  const targets = { email: 'ana@example.com', sms: '+4520000000', push: token };
  const target = channel === 'onesignal' ? `subscription:${playerId}` : targets[channel];
  await storePreferences(tenant, userId, toPreferences(world.stored, channel));
  for (const { sender: which, scope } of world.suppressions) {
    const ofSender = which === 'every sender' ? '' : senders[which];
    const suppression = { id: newId(), appId, channel, recipient: target, reason: 'bounced' };
    const data = { ...suppression, scope, sender: ofSender ?? '' };
    await database.prisma.suppression.create({ data });
  }
  if (world.isPaused) await database.prisma.channelPause.create({ data: { appId, channel } });
  const integrationId = integrationIds[world.current];
  const calledSender = world.calledSender === undefined ? undefined : senders[world.calledSender];
  const namedUser = world.device.isUserNamed ? userId : undefined;
  const preferences = toPreferences(world.call, channel);
  const planned = world.device.isPlanned ? deviceId : undefined;
  const write = async () => {
    const id = await writeMessageRow(
      { database, tenant, event },
      {
        ...{ channel, target, deviceId: planned },
        ...(integrationId ? { integrationId } : {}),
        recipient: { ...(namedUser && { user_id: namedUser }), preferences },
        override: calledSender ? { [channel]: { sender: calledSender } } : undefined,
      },
    );
    const data = { expiresAt: new Date(0) };
    if (world.isExpired) await database.prisma.message.update({ where: { id }, data });
    return id;
  };
  const candidate = {
    ...{ channel, target, deviceId: planned, sender: calledSender, userId: namedUser },
    ...{ integrationId, chain: integrationIds, kind, category, preferences },
  };
  // Live, so that a resend has an integration. A live app could not publish every one of these chains.
  await database.prisma.app.update({ where: { id: appId }, data: { delivery: 'live' } });
  return { tenant, write, candidate };
}

const options = { worker: 'w', leaseMs: 20_000 };

/** The reason that a claim reports; undefined if it takes the message. */
async function claim(id: string): Promise<string | undefined> {
  const [result] = await claimMessages(database.delivery, { ...options, ids: [id] });
  return result?.kind === 'settled' ? result.reason : undefined;
}

/** The verdict that Explain states on a queued message. */
async function explain(id: string): Promise<string | undefined> {
  const { requestId } = await findMessage(id);
  const timeline = await readRequestTimeline(database.lookUps, requestId);
  return timeline?.verdicts.get(id)?.obstacle ?? undefined;
}

const findMessage = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });

/** Whether a failed message of this world may be resent, and what a claim says of the new message if it is nevertheless. */
async function resend({ appId }: Tenant, id: string) {
  await database.prisma.message.update({ where: { id }, data: { state: 'failed' } });
  const [verdict] = await judgeResends(database.lookUps, appId, [id]);
  if (!verdict) throw new Error('The message was not found');
  const { obstacle, integrationId, timeToLiveMs } = verdict;
  const generation = { id: newId(), messageId: id, state: 'failed', integrationId, timeToLiveMs };
  await writeGenerations(database.lookUps, { appId, resendId: undefined }, [generation]);
  return { obstacle: obstacle ?? undefined, claim: await claim(generation.id) };
}

/** The verdicts of everything that judges a message, on the same call. */
async function judge(world: World) {
  const { tenant, write, candidate } = await build(world);
  const { appId } = tenant;
  const [id, fastId, resendId] = [await write(), await write(), await write()];
  const onPage = { ...candidate, sender: undefined, integrationId: undefined, chain: [] };
  const [dryRun, page] = await readEligibility(database.lookUps, appId, [candidate, onPage]);
  const [fast] = await claimEligibleMessages(database.hot, { ...options, ids: [fastId] });
  const explained = await explain(id);
  const claimed = await claim(id);
  return {
    // A dry run has no end.
    dryRun: world.isExpired ? 'expired' : (dryRun?.obstacle ?? undefined),
    nextIntegrationId: dryRun?.nextIntegrationId,
    optOut: dryRun?.optOut ?? undefined,
    page: page?.obstacle ?? undefined,
    explained,
    claim: claimed,
    claimedIntegrationId: (await findMessage(id)).integrationId,
    isFast: fast !== undefined,
    resend: await resend(tenant, resendId),
  };
}

type Verdicts = Awaited<ReturnType<typeof judge>>;

const skips: readonly (string | undefined)[] = skippingObstacles;

/** The page knows no integration, sender or end: what it reports stops the message, and it misses a sender's suppression only. */
function expectPageAgrees({ page, claim: claimed }: Verdicts): void {
  const before: (string | undefined)[] = ['expired', 'integration_removed'];
  if (before.includes(claimed)) return;
  if (page !== undefined && claimed !== 'suppressed') expect(claimed).toBe(page);
  if (page === undefined || page === 'paused')
    expect(['device_gone', 'opted_out']).not.toContain(claimed);
}

/** A resend is refused for what would end the new message at once. */
function expectResendAgrees(
  { integrations }: World,
  { resend: { obstacle, claim: claimed } }: Verdicts,
) {
  const isCut = integrations.length > 0 && integrations.every(({ state }) => state === 'removed');
  if (isCut) expect(obstacle).toBe('no_integration');
  else expect(obstacle).toBe(skips.includes(claimed) ? claimed : undefined);
}

/** The rule of planning. A claim applies it to named users with an opt-out; `sports` is one in every world. */
function findExpectedOptOut({ channel, kind, category, stored, call, device }: World) {
  if (kind !== 'optional' || !device.isUserNamed) return undefined;
  return findOptOut({
    ...{ channel, kind, category },
    stored: readPreferences(toPreferences(stored, channel)),
    call: readPreferences(toPreferences(call, channel)),
  });
}

test('everything that judges a message agrees with the claim on what stops it, and the fast claim takes nothing that is stopped', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const verdicts = await judge(world);
      const { dryRun, explained, claim: claimed, isFast } = verdicts;
      seen.add(`${claimed}`);
      expect(dryRun).toBe(claimed);
      expect(explained).toBe(claimed);
      expect(isFast && claimed !== undefined).toBe(false);
      if (claimed === 'failover') {
        expect(verdicts.claimedIntegrationId).toBe(verdicts.nextIntegrationId);
      }
      expectPageAgrees(verdicts);
      expect(verdicts.optOut).toEqual(findExpectedOptOut(world));
      expectResendAgrees(world, verdicts);
    }),
    {
      numRuns: judgedWorlds,
      examples: [...Object.values(examples), ...preferenceExamples].map((world) => [world]),
    },
  );
  expect([...seen].sort()).toEqual(Object.keys(examples).sort());
}, 120_000);

test.each([
  ['My Shop', 'My Shop'],
  ['My Shop', 'my-shop'],
  ['+4520000001', '+45 20 00 00 01'],
])('a suppression for the sender %s holds for a call that names %s', async (sender, named) => {
  const { appId } = await factories.createTenant();
  const recipient = '+4530000000';
  const suppression = { id: newId(), appId, channel: 'sms', recipient, reason: 'bounced', sender };
  await database.prisma.suppression.create({ data: suppression });
  const candidate = {
    ...{ channel: 'sms', target: recipient, chain: [], deviceId: undefined, userId: undefined },
    ...{ integrationId: undefined, kind: undefined, category: undefined, preferences: undefined },
  };
  const verdicts = await readEligibility(database.lookUps, appId, [
    { ...candidate, sender: named },
    { ...candidate, sender: 'Another' },
  ]);
  expect(verdicts.map(({ obstacle }) => obstacle)).toEqual(['suppressed', null]);
});
