import type { Reply } from '@belfry/channels';
import { createSuppressions, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { applyContactUpdates } from '../deliver/contact-updates.sql';
import { claimMessageRow, writeMessageRow } from '../message-row.fixture';
import { storeReplies } from './replies.sql';

const sender = '+1 500 555 0009';
let database: Database;
let tenant: Tenant;
let neighbour: Tenant;
let address: string;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 6 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  neighbour = await factories.createTenant();
});
beforeEach(() => {
  address = `+45${String(Math.random()).slice(2, 10)}`;
});
afterAll(() => database.close());

type Changes = Partial<Reply> & { channel?: string; appId?: string };

async function reply(wish: Reply['wish'], changes: Changes = {}): Promise<boolean | undefined> {
  const { channel = 'sms', appId = tenant.appId, ...more } = changes;
  const replies = [{ wish, address, sender, identity: newId(), ...more }];
  return (await storeReplies(database.accepting, { appId, channel, replies }))[0]?.counts;
}

const listSuppressions = (channel = 'sms') =>
  database.prisma.suppression.findMany({ where: { channel, recipient: address } });

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

describe('a stop', () => {
  test('suppresses the address for the sender and for optional events', async () => {
    expect(await reply('stop')).toBe(true);
    expect(await listSuppressions()).toMatchObject([
      {
        ...{ appId: tenant.appId, sender, reason: 'opted_out', createdBy: null },
        ...{ source: 'reply', scope: 'optional' },
      },
    ]);
  });

  test('that is repeated, by the provider or by the person, changes nothing more', async () => {
    const identity = newId();
    expect(await reply('stop', { identity })).toBe(true);
    const [first] = await listSuppressions();
    expect(await reply('stop', { identity })).toBe(false);
    await reply('stop');
    expect(await listSuppressions()).toEqual([first]);
  });

  test('of one app, channel or sender is none of another', async () => {
    await reply('stop');
    for (const other of [
      { appId: neighbour.appId },
      { channel: 'whatsapp' },
      { sender: '+15005550007' },
    ]) {
      expect(await reply('start', other)).toBe(true);
    }
    expect(await listSuppressions()).toHaveLength(1);
    expect(await listSuppressions('whatsapp')).toEqual([]);
  });
});

describe('a start', () => {
  test('undoes a stop, and the address may be stopped again', async () => {
    await reply('stop');
    await reply('start');
    expect(await listSuppressions()).toEqual([]);
    await reply('stop');
    expect(await listSuppressions()).toHaveLength(1);
  });

  test('undoes what the provider reported about a stop that we did not get', async () => {
    const event = await createFactories(database).createEvent(tenant, {
      sms: channelVersion({ text: 'x' }),
    });
    const messageId = await writeMessageRow(
      { database, tenant, event },
      { channel: 'sms', target: address },
    );
    const change = { change: 'suppress', reason: 'opted_out', source: 'reply', sender } as const;
    await applyContactUpdates(database.delivery, [{ messageId, changes: [change] }]);
    expect(await listSuppressions()).toHaveLength(1);
    await reply('start');
    expect(await listSuppressions()).toEqual([]);
  });

  test('undoes a stop to the same sender in another spelling', async () => {
    await reply('stop');
    await reply('start', { sender: '+15005550009' });
    expect(await listSuppressions()).toEqual([]);
  });

  const others = { bounced: 'bounce', complained: 'complaint', opted_out: 'unsubscribe' };
  test.each(Object.entries(others))('does not undo another report: %s', async (reason, source) => {
    const { appId } = tenant;
    const row = { id: newId(), appId, channel: 'sms', recipient: address, sender };
    await database.prisma.suppression.create({ data: { ...row, reason, source } });
    await reply('stop');
    await reply('start');
    expect(await listSuppressions()).toMatchObject([{ id: row.id, reason, source }]);
  });

  test('does not undo a suppression by an operator, before or after the stop', async () => {
    const actor = { accountId: tenant.accountId, operatorId: undefined };
    const suppressions = createSuppressions(database.lookUps);
    await reply('stop');
    await suppressions.add(actor, tenant.appId, {
      channel: 'sms',
      address,
      detail: 'Asked by phone',
    });
    await reply('start');
    expect(await listSuppressions()).toMatchObject([{ sender: '', source: 'manual' }]);
  });
});

describe('a reply that comes late', () => {
  test('does not undo a newer one, by the provider’s clock', async () => {
    expect(await reply('start', { at: at(10) })).toBe(true);
    expect(await reply('stop', { at: at(9) })).toBe(false);
    expect(await listSuppressions()).toEqual([]);
    expect(await reply('stop', { at: at(11) })).toBe(true);
    expect(await reply('start', { at: at(10) })).toBe(false);
    expect(await listSuppressions()).toHaveLength(1);
  });

  test('in the same second counts in order of arrival', async () => {
    await reply('stop', { at: at(10) });
    await reply('start', { at: at(10) });
    expect(await listSuppressions()).toEqual([]);
  });

  test('is recognised without a clock too, if the provider repeats it', async () => {
    const identity = newId();
    await reply('stop', { identity });
    await reply('start');
    expect(await reply('stop', { identity })).toBe(false);
    expect(await listSuppressions()).toEqual([]);
  });

  test('counts after one whose clock was ahead', async () => {
    await reply('stop', { at: new Date(Date.now() + 3_600_000) });
    expect(await reply('start', { at: new Date(Date.now() + 1_000) })).toBe(true);
    expect(await listSuppressions()).toEqual([]);
  });

  test('does not bring back what an operator removed', async () => {
    const identity = newId();
    await reply('stop', { identity });
    await database.prisma.suppression.deleteMany({ where: { recipient: address } });
    await reply('stop', { identity });
    expect(await listSuppressions()).toEqual([]);
  });
});

test('of many replies at once, the suppression matches the last one that counted', async () => {
  const both: Reply['wish'][] = ['stop', 'start'];
  const wishes = Array.from({ length: 10 }, () => both).flat();
  await Promise.all(wishes.map((wish) => reply(wish)));
  const { wish } = await database.prisma.reply.findFirstOrThrow({
    where: { appId: tenant.appId },
    orderBy: { repliedAt: 'desc' },
  });
  expect(await listSuppressions()).toHaveLength(wish === 'stop' ? 1 : 0);
});

test('a stop leaves no address outside of the suppression', async () => {
  await reply('stop');
  const rows = await database.prisma.$queryRaw`SELECT r::text FROM reply r`;
  expect(JSON.stringify(rows)).not.toContain(address.slice(1));
});

describe.each([
  ['sms', sender],
  ['whatsapp', '100000000000001'],
  ['telegram', '@acme_bot'],
  ['telegram', undefined],
])('a claim on %s by the sender %s', (channel, settingsSender) => {
  async function createMessage(kind: 'optional' | 'mandatory') {
    const factories = createFactories(database);
    const { id: integrationId } = await factories.createIntegration(tenant, {
      ...{ channel, provider: channel, credentials: {} },
      settings: settingsSender === undefined ? {} : { sender: settingsSender },
    });
    const version = { [channel]: channelVersion({ text: 'x' }) };
    const event = await factories.createEvent(tenant, version, { kind });
    return writeMessageRow(
      { database, tenant, event },
      { channel, target: address, integrationId },
    );
  }
  const claim = async (kind: 'optional' | 'mandatory') =>
    claimMessageRow({ database }, await createMessage(kind));
  const skipped = { kind: 'settled', state: 'skipped', reason: 'suppressed' };

  test('skips an optional message after a stop, sends a mandatory one, and sends both after a start', async () => {
    const own = { channel, sender: settingsSender ?? '' };
    await reply('stop', own);
    expect(await claim('optional')).toMatchObject(skipped);
    expect(await claim('mandatory')).toMatchObject({ kind: 'claimed' });
    await reply('start', own);
    expect(await claim('optional')).toMatchObject({ kind: 'claimed' });
  });

  test('is not stopped by a stop to another sender', async () => {
    await reply('stop', { channel, sender: 'another' });
    expect(await claim('optional')).toMatchObject({ kind: 'claimed' });
  });
});
