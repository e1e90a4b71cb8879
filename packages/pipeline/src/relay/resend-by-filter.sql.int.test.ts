import { createSystemActor, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { defaultPolicy } from '@belfry/shared';
import { channelVersion, createFactories, openDatabase, testDatabase } from '@belfry/testing';
import { writeMessageRow } from '../message-row.fixture';
import { createResendRuns } from '../operate/resend-runs';
import { carryOutResend } from './resend-by-filter.sql';

let database: Database;
let factories: ReturnType<typeof createFactories>;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
  factories = createFactories(database);
});

afterAll(() => database?.close());

/** A change to the message between the confirmation and the resend. */
type Change = 'removed' | 'erased' | 'sensitive' | 'delivered' | 'resent' | 'suppressed';

type DecideInput = {
  change?: Change;
  delivery?: 'sandbox' | 'live';
  /** Which of the version's integrations `a` and `b` are removed. */
  removed?: ('a' | 'b')[];
};

/** Resends one failed message, whose version uses the integrations `a`, then `b`. */
async function resend({ change, delivery = 'live', removed = [] }: DecideInput = {}) {
  const tenant = await factories.createTenant({ delivery });
  const actor = createSystemActor(tenant.accountId);
  const { appId } = tenant;
  const [a, b] = [await createIntegration(tenant), await createIntegration(tenant)];
  const channels = { sms: channelVersion({ text: 'x' }, { integrationIds: [a, b] }) };
  const event = await factories.createEvent(tenant, channels);
  const place = { database, tenant, event };
  const id = await writeMessageRow(place, { channel: 'sms', target: '+4520000000' });
  await setState(id, 'failed');
  const filter = { appId, states: ['failed'] };
  const run = { appId, filter, shown: {}, confirmed: 1, perSecond: 10 };
  const started = await createResendRuns(database.lookUps).start(actor, run);
  if (change) await changes[change]({ id, appId, versionId: event.versionId });
  for (const name of removed) {
    const where = { id: { a, b }[name] };
    await database.prisma.integration.update({ where, data: { deletedAt: new Date() } });
  }
  const resendId = started?.id ?? '';
  // Runs of other tests may also be due; the one that is due for the longest time goes first.
  const nextAt = new Date(0);
  await database.prisma.resend.update({ where: { id: resendId }, data: { nextAt } });
  await carryOutResend(database.delivery);
  const where = { resendId };
  const { outcome, newMessageId } = await database.prisma.resendMessage.findFirstOrThrow({ where });
  const message = await database.prisma.message.findUnique({
    where: { id: newMessageId ?? newId() },
  });
  return { outcome, message, integrationIds: { a, b } };
}

async function createIntegration(tenant: Parameters<typeof factories.createIntegration>[0]) {
  return (await factories.createIntegration(tenant, { channel: 'sms', provider: 'sandbox' })).id;
}

const setState = (id: string, state: string) =>
  database.prisma.message.update({ where: { id }, data: { state } });

type Changed = { id: string; appId: string; versionId: string };

const changes: Record<Change, (changed: Changed) => Promise<unknown>> = {
  removed: ({ id }) => database.prisma.message.delete({ where: { id } }),
  erased: ({ id }) =>
    database.prisma.message.update({ where: { id }, data: { target: `erased:${id}` } }),
  sensitive: ({ versionId }) =>
    database.lookUps.query(
      `UPDATE event_version SET definition = jsonb_set(definition, '{isSensitive}', 'true') WHERE id = $1`,
      [versionId],
    ),
  delivered: ({ id }) => setState(id, 'delivered'),
  resent: ({ id }) =>
    database.lookUps.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, generation, resend_of, expires_at)
       SELECT gen_random_uuid(), request_id, item, app_id, channel, target, 1, id, now() FROM message WHERE id = $1`,
      [id],
    ),
  suppressed: ({ appId }) => {
    const suppression = { id: newId(), appId, channel: 'sms', recipient: '+4520000000' };
    return database.prisma.suppression.create({
      data: { ...suppression, reason: 'bounced', sender: '' },
    });
  },
};

describe('a message of a resend by filter', () => {
  test('is resent by the first integration of its version, with its time to live', async () => {
    const { message, integrationIds } = await resend();
    expect(message).toMatchObject({ integrationId: integrationIds.a, state: 'queued' });
    const lifeMs = (message?.expiresAt.getTime() ?? 0) - (message?.createdAt.getTime() ?? 0);
    expect(lifeMs).toBe(defaultPolicy.timeToLiveMs);
    const next = await resend({ removed: ['a'] });
    expect(next.message).toMatchObject({ integrationId: next.integrationIds.b });
    const { message: captured } = await resend({ removed: ['a', 'b'], delivery: 'sandbox' });
    expect(captured).toMatchObject({ integrationId: null });
  });

  test.each<[string, DecideInput]>([
    ['gone', { change: 'removed' }],
    ['erased', { change: 'erased' }],
    ['sensitive', { change: 'sensitive' }],
    ['changed', { change: 'delivered' }],
    ['changed', { change: 'resent' }],
    ['no_integration', { removed: ['a', 'b'] }],
    ['suppressed', { change: 'suppressed' }],
  ])('is skipped as %s: %o', async (skip, input) => {
    expect(await resend(input)).toMatchObject({ outcome: skip, message: null });
  });
});
