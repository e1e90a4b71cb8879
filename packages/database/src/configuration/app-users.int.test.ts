import { newId } from '@belfry/runtime';
import { createFactories, openDatabase, type Tenant, testDatabase } from '@belfry/testing';
import type { Database } from '../client';
import { type AppUsers, createAppUsers, userSearch } from './app-users';

jest.setTimeout(60_000);

const manyUsers = 20_000;
/** A scan of each index from the root, and a page of rows of each. */
const maxBuffers = 900;

let database: Database;
let tenant: Tenant;
let users: AppUsers;
let ana: { sid: string; deviceId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 2 });
  tenant = await createFactories(database).createTenant();
  users = createAppUsers(database.lookUps);
  ana = await createAna(tenant.appId);
});

afterAll(() => database.close());

async function createAna(appId: string) {
  const [sid, deviceId] = [newId(), newId()];
  await database.prisma.user.create({
    data: {
      id: sid,
      appId,
      userId: 'u_20391',
      contact: {
        email: 'Ana.Ruiz@example.com',
        mobile: '+1 (202) 555-0123',
        whatsapp_mobile: '44 7700 900123',
        slack: { channel_id: 'U0555010142', email: 'ana@Slack.example' },
        telegram: { chat_id: '55510142' },
        onesignal_external_id: 'os-77',
      },
    },
  });
  const device = { id: deviceId, appId, userSid: sid, fcmToken: `token-${sid}` };
  await database.prisma.device.create({ data: device });
  return { sid, deviceId };
}

describe('a search', () => {
  test.each([
    ['u_203', 'user_id'],
    ['u_20391', 'user_id'],
    ['ana.ru', 'email'],
    ['ANA.RUIZ@EXAMPLE.COM', 'email'],
    ['+1202555', 'mobile'],
    ['1 202-555', 'mobile'],
    ['0012025550123', 'mobile'],
    ['447700', 'whatsapp_mobile'],
    ['+44 7700 900123', 'whatsapp_mobile'],
    ['U05550', 'slack.channel_id'],
    ['ana@slack', 'slack.email'],
    ['55510', 'telegram.chat_id'],
    ['os-7', 'onesignal_external_id'],
  ])('for %s finds the person by %s', async (text, matched) => {
    const { rows } = await users.search(tenant.appId, text);
    expect(rows.map(({ sid, matched: by }) => [sid, by])).toEqual([[ana.sid, matched]]);
  });

  test('finds the user of a device, and a user by the `sid` that answers contain', async () => {
    for (const text of [ana.deviceId, `token-${ana.sid}`, ana.sid.toUpperCase()]) {
      const { rows } = await users.search(tenant.appId, text);
      expect(rows.map(({ sid }) => sid)).toEqual([ana.sid]);
    }
  });

  test.each(['ruiz', '%', '_', 'u\\_20391', "u_2'; --", '2025550123'])(
    'for %s, which no value begins with, finds no user',
    async (text) => {
      expect(await users.search(tenant.appId, text)).toEqual({ rows: [], isPartial: false });
    },
  );

  test('finds no user of another app', async () => {
    const other = await createFactories(database).createTenant();
    for (const text of ['u_20391', 'ana.ruiz', ana.sid, ana.deviceId]) {
      expect((await users.search(other.appId, text)).rows).toEqual([]);
    }
    expect(await users.find(other.appId, ana.sid)).toBeUndefined();
  });
});

describe('among many users', () => {
  let crowded: Tenant;

  beforeAll(async () => {
    crowded = await createFactories(database).createTenant();
    await database.lookUps.query(
      `INSERT INTO app_user (id, app_id, user_id, contact)
       SELECT gen_random_uuid(), $1, 'u' || lpad(n::text, 6, '0'), jsonb_build_object(
         'email', 'user' || n || '@example.com', 'mobile', '+1202' || lpad(n::text, 7, '0'),
         'slack', jsonb_build_object('channel_id', 'U' || lpad(n::text, 10, '0')))
       FROM generate_series(1, $2::int) n`,
      [crowded.appId, manyUsers],
    );
    // Autovacuum would do it, but perhaps not before the next line.
    await database.lookUps.query('ANALYZE app_user');
  });

  test.each(['u', 'user', '+1', 'U0', 'user19999@', 'nobody'])(
    'a search for %s reads at most a page of each index, and reports when there are more',
    async (text) => {
      const { text: sql, values } = userSearch(crowded.appId, text);
      const { rows } = await database.lookUps.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
        values,
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      expect(plan).toBeDefined();
      const buffers = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
      expect([text, buffers < maxBuffers]).toEqual([text, true]);
      const result = await users.search(crowded.appId, text);
      expect(result.isPartial).toBe(!['user19999@', 'nobody'].includes(text));
    },
  );

  test('a list continues after each page, in order of ids', async () => {
    const first = await users.list(crowded.appId, '');
    const second = await users.list(crowded.appId, first.rows.at(-1)?.userId ?? '');
    expect([first.isPartial, first.rows.length]).toEqual([true, 50]);
    const ids = [...first.rows, ...second.rows].map(({ userId }) => userId);
    expect(ids).toEqual(
      Array.from({ length: 100 }, (_, n) => `u${String(n + 1).padStart(6, '0')}`),
    );
  });
});

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
