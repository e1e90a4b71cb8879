import { createSystemActor, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { resendObstacles } from '@belfry/shared';
import {
  channelVersion,
  createFactories,
  eventually,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { writeMessageRow } from '../message-row.fixture';
import { resendMessage } from './resend';

let database: Database;
let factories: ReturnType<typeof createFactories>;
let tenant: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  factories = createFactories(database);
  tenant = await factories.createTenant();
});

afterAll(() => database?.close());

type Facts = { state: string; isNewest?: boolean; isSensitive?: boolean; isErased?: boolean };

async function write({ state, isSensitive = false, isErased = false }: Facts): Promise<string> {
  const channels = { email: channelVersion({ subject: 'x', html: 'x' }) };
  const event = await factories.createEvent(tenant, channels, { isSensitive });
  const id = await writeMessageRow({ database, tenant, event }, {});
  const target = isErased ? { target: `erased:${id}` } : {};
  await database.prisma.message.update({ where: { id }, data: { state, ...target } });
  return id;
}

function resend(messageId: string) {
  const actor = createSystemActor(tenant.accountId);
  const input = { appId: tenant.appId, messageId, isConfirmed: true };
  return resendMessage(database.lookUps, actor, input);
}

describe('a resend', () => {
  test.each(['sent', 'delivered', 'read', 'failed', 'skipped', 'unknown'])(
    'is allowed for a message that is %s',
    async (state) => {
      expect(await resend(await write({ state }))).toMatchObject({ state: 'resent' });
    },
  );

  test.each<[Facts, keyof typeof resendObstacles]>([
    [{ state: 'queued' }, 'not_ended'],
    [{ state: 'sending' }, 'not_ended'],
    [{ state: 'failed', isNewest: false }, 'resent'],
    [{ state: 'failed', isSensitive: true }, 'sensitive'],
    [{ state: 'failed', isErased: true }, 'erased'],
  ])('is refused for %o', async (facts, obstacle) => {
    const id = await write(facts);
    if (facts.isNewest === false) await resend(id);
    expect(await resend(id)).toEqual({ state: 'refused', because: resendObstacles[obstacle] });
  });

  test('is refused if the address is suppressed while it waits for a change of the message', async () => {
    const id = await write({ state: 'failed' });
    const changing = await database.delivery.connect();
    await changing.query('BEGIN');
    await changing.query('SELECT FROM message WHERE id = $1 FOR UPDATE', [id]);
    const ended = resend(id);
    await eventually(async () => expect(await countWaiting()).toBe(1));
    const suppression = { channel: 'email', recipient: 'ana@example.com', sender: '' };
    await database.prisma.suppression.create({
      data: { id: newId(), appId: tenant.appId, ...suppression, reason: 'bounced' },
    });
    await changing.query('COMMIT');
    changing.release();
    expect(await ended).toMatchObject({
      state: 'refused',
      because: expect.stringMatching(/suppressed/),
    });
    await database.prisma.suppression.deleteMany({ where: { appId: tenant.appId } });
  });

  test('of two at once happens once and is recorded once', async () => {
    const id = await write({ state: 'failed' });
    const states = (await Promise.all([resend(id), resend(id)])).map(({ state }) => state);
    expect(states.sort()).toEqual(['refused', 'resent']);
    const entries = { where: { accountId: tenant.accountId, subject: id } };
    expect(await database.prisma.auditEntry.findMany(entries)).toMatchObject([
      { action: 'message.resent' },
    ]);
  });
});

/** Counts statements of resends that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await database.delivery.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%message m%'`,
  );
  return rows[0]!.count;
}
