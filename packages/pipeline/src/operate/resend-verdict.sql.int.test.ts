import { createDatabase, createSystemActor, type Database } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { resendObstacles } from '@belfry/shared';
import { channelVersion, createFactories, type Tenant, testDatabase } from '@belfry/testing';
import { writeMessageRow } from '../message-row.fixture';
import { resendMessage } from './resend';

let database: Database;
let factories: ReturnType<typeof createFactories>;
let tenant: Tenant;

beforeAll(async () => {
  const { url } = await testDatabase();
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url, poolSize: 2, log });
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
});
