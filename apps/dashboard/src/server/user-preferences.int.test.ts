import { newId } from '@belfry/runtime';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(30_000);

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard?.close());

const texts = { en: { name: 'News', description: '' } };

/** A user of an app with the category `news`. */
async function createUser(preferences?: object) {
  const operator = await dashboard.createNeighbour();
  const { call, tenant } = operator;
  const [sid, userId] = [newId(), `u-${newId()}`];
  const contact = { email: 'ana@example.com', ...(preferences && { preferences }) };
  await dashboard.database.prisma.user.create({
    data: { id: sid, appId: tenant.appId, userId, contact },
  });
  await call('post', `apps/${tenant.appId}/categories`, { slug: 'news', texts });
  const at = `apps/${tenant.appId}/users/${sid}`;
  return {
    ...operator,
    sid,
    change: (changes: unknown) => call('put', `${at}/preferences`, { changes } as object),
    read: async () => (await call('get', at)).body.preferences,
    async readStored() {
      const user = await dashboard.database.prisma.user.findFirstOrThrow({ where: { id: sid } });
      return user.contact;
    },
    async listEntries(): Promise<object[]> {
      const { entries } = (await call('get', 'audit')).body;
      return entries.filter(
        ({ action }: { action: string }) => action === 'user.preferences_changed',
      );
    },
  };
}

const level = (channel: string | null, category: string | null, isOff: boolean | null) => {
  return { channel, category, isOff };
};

describe('an operator', () => {
  test('sets each of the four levels on, off and to no value, and nothing else changes', async () => {
    const stored = { locale: 'de', categories: { gone: { disabled: true } } };
    const { change, read, readStored } = await createUser(stored);
    const switches = [
      ...[level(null, null, true), level('sms', null, false)],
      ...[level(null, 'news', false), level('email', 'news', true)],
    ];
    const answer = await change(switches);
    const all = { locale: 'de', switches: [...switches, level(null, 'gone', true)] };
    expect(answer).toMatchObject({ status: 200, body: { locale: 'de' } });
    for (const { switches: listed } of [answer.body, await read()]) {
      expect(new Set(listed)).toEqual(new Set(all.switches));
    }
    expect(await readStored()).toEqual({
      email: 'ana@example.com',
      preferences: {
        locale: 'de',
        disabled: true,
        channel_preferences: { sms: { disabled: false } },
        categories: {
          gone: { disabled: true },
          news: { disabled: false, channel_preferences: { email: { disabled: true } } },
        },
      },
    });
    await change(switches.map((one) => ({ ...one, isOff: null })));
    expect(await readStored()).toEqual({ email: 'ana@example.com', preferences: stored });
  });

  test('leaves levels that the user changed meanwhile, and the audit has no personal data', async () => {
    const { change, readStored, listEntries, sid, email } = await createUser({ disabled: true });
    await change([level('sms', null, true)]);
    await change([level('sms', null, true)]);
    expect(await readStored()).toMatchObject({
      preferences: { disabled: true, channel_preferences: { sms: { disabled: true } } },
    });
    expect(await listEntries()).toMatchObject([{ operator: email, subject: sid, change: null }]);
  });

  test('who switches something off reports it to the app as its own change', async () => {
    const { change, call, tenant, sid } = await createUser();
    const types = ['user.unsubscribed'];
    const endpoint = { url: 'https://receiver.example/hooks', types, description: '' };
    expect((await call('post', `apps/${tenant.appId}/webhooks`, endpoint)).status).toBe(200);
    await change([level('sms', 'news', true)]);
    const { rows } = await dashboard.database.lookUps.query(
      `SELECT data FROM webhook_delivery WHERE app_id = $1 AND type = 'user.unsubscribed'`,
      [tenant.appId],
    );
    expect(rows).toMatchObject([
      { data: { user_sid: sid, channel: 'sms', category: 'news', source: 'dashboard' } },
    ]);
  });
});

test.each([
  [[level('fax', null, true)], 'changes.0.channel'],
  [[level(null, 'news', true), level(null, 'sports', true)], 'changes.1.category'],
  [[level('constructor', '__proto__', true)], 'changes.0.channel'],
  [[], 'changes'],
  [[{ ...level(null, null, true), isOff: 'yes' }], 'changes'],
])('the change %j is refused with the field, and changes nothing', async (changes, path) => {
  const { change, read } = await createUser();
  const { status, body } = await change(changes);
  expect([status, body.fields[0].path]).toEqual([422, expect.stringContaining(path)]);
  expect(await read()).toEqual({ locale: null, switches: [] });
});
