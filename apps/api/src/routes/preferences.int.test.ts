import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;
let tenant: Tenant;
let userId: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
});

beforeEach(async () => {
  tenant = await gateway.factories.createTenant();
  userId = newId();
  await gateway.factories.createCategory(tenant, 'news');
  const user = { user_id: userId, email: 'ana@example.com', preferences: { locale: 'de' } };
  await call('post', '/users', user);
});

afterAll(() => gateway.close());

function call(method: 'get' | 'post' | 'put', path: string, body?: object, of = tenant) {
  const { appId: app, apiKey } = of;
  return gateway.call({ method, path, app, apiKey, ...(body && { body }) });
}

const read = (of = tenant) => call('get', `/users/${userId}/preferences`, undefined, of);
const write = (body: object, of = tenant) => call('put', `/users/${userId}/preferences`, body, of);

const off = { disabled: true };
const nothing = { locale: 'de', disabled: false, channel_preferences: {}, categories: {} };
const newsByMail = {
  categories: { news: { disabled: true, channel_preferences: { email: { disabled: false } } } },
};

test('a write replaces all preferences except an absent language, and returns them like a read', async () => {
  expect((await read()).body).toEqual(nothing);
  const first = await write({ disabled: true, channel_preferences: { sms: off }, ignored: 1 });
  expect([first.status, first.body]).toEqual([
    200,
    { ...nothing, disabled: true, channel_preferences: { sms: off } },
  ]);
  const second = await write({ ...newsByMail, locale: ' fr ', disabled: null });
  expect(second.body).toEqual({ ...nothing, ...newsByMail, locale: 'fr' });
  expect((await read()).body).toEqual(second.body);
  expect((await call('get', `/users/${userId}`)).body.preferences).toEqual({
    locale: 'fr',
    ...newsByMail,
  });
  expect((await write({})).body).toEqual({ ...nothing, locale: 'fr' });
});

test('the user of another account with the same id keeps its preferences', async () => {
  const other = await gateway.factories.createTenant();
  await call('post', '/users', { user_id: userId, preferences: { disabled: true } }, other);
  await write({ channel_preferences: { email: off } });
  const { locale: _, ...others } = nothing;
  expect((await read(other)).body).toEqual({ ...others, disabled: true });
});

describe('wrong input is refused, and nothing changes', () => {
  test.each([
    [
      'a category',
      { categories: { sports: off } },
      'categories.sports is not a category of the app',
    ],
    [
      'a channel',
      { channel_preferences: { fax: off } },
      'channel_preferences.fax is not a channel',
    ],
    [
      'a channel of a category',
      { categories: { news: { channel_preferences: { fax: off } } } },
      'categories.news.channel_preferences.fax is not a channel',
    ],
    [
      'a category with a name that every object has',
      { categories: { constructor: off } },
      'categories.constructor is not a category of the app',
    ],
  ])('%s that does not exist', async (_what, body, error) => {
    await write({ disabled: true });
    const answer = await write(body);
    expect([answer.status, answer.body.code, answer.body.error]).toEqual([
      ...[422, 'validation_failed', error],
    ]);
    expect(answer.body.errors).toEqual([error]);
    expect((await read()).body.disabled).toBe(true);
  });

  test('a category of another account', async () => {
    const other = await gateway.factories.createTenant();
    await gateway.factories.createCategory(other, 'sports');
    expect((await write({ categories: { sports: off } })).status).toBe(422);
  });

  test('preferences of a wrong type or over the limit of size', async () => {
    const tooMany = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`${index}`.padStart(64, 'a'), off]),
    );
    expect((await write({ disabled: 'yes' })).body.code).toBe('invalid_type');
    const answer = await write({ categories: tooMany });
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringContaining('categories'),
    ]);
    expect((await read()).body).toEqual(nothing);
  });

  test('a user that is not stored', async () => {
    userId = newId();
    for (const answer of [await read(), await write({})]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'user_not_found']);
    }
  });

  test('an unknown category in a write of the user', async () => {
    const user = { user_id: userId, preferences: { categories: { sports: off } }, email: 'b@c.de' };
    const answer = await call('post', '/users', user);
    expect([answer.status, answer.body.error]).toEqual([
      ...[422, 'categories.sports is not a category of the app'],
    ]);
    expect((await call('get', `/users/${userId}`)).body.email).toBe('ana@example.com');
  });
});

test('a category that was removed is left out', async () => {
  await write(newsByMail);
  await gateway.database.prisma.category.deleteMany({ where: { appId: tenant.appId } });
  expect((await read()).body).toEqual(nothing);
});

describe('a send to a user who switched a category off', () => {
  const send = (event: string, user: object) =>
    call('post', '/events/send?dry_run=true', { event, user: { user_id: userId, ...user } });

  test.each([
    ['an optional event', { kind: 'optional' }, {}, 'skip'],
    ['a mandatory event', { kind: 'mandatory' }, {}, 'send'],
    ['a sensitive event, which is mandatory', { isSensitive: true }, {}, 'send'],
    ['an event without a kind, which is optional', {}, {}, 'skip'],
    [
      'an optional event, switched on by the call',
      {},
      { preferences: { categories: { news: { disabled: false } } } },
      'send',
    ],
    [
      'a mandatory event, switched off by the call',
      { kind: 'mandatory' },
      { preferences: off },
      'skip',
    ],
  ] as const)('%s', async (_what, options, user, would) => {
    await write({ categories: { news: off } });
    const channels = { email: channelVersion({ subject: 'x', text: 'x' }) };
    const event = await gateway.factories.createEvent(tenant, channels, {
      ...{ category: 'news', ...options },
    });
    const { messages } = (await send(event.name, user)).body;
    expect(messages).toMatchObject([{ channel: 'email', would }]);
    if (would === 'send') return;
    const what = 'preferences' in user ? 'everything' : 'category “news”';
    expect(messages).toMatchObject([
      { reason: 'opted_out', detail: `Preferences of the recipient: ${what} is off.` },
    ]);
  });
});

describe('the webhook user.unsubscribed', () => {
  async function listData(endpointId: string) {
    const rows = await gateway.database.prisma.webhookDelivery.findMany({
      ...{ where: { endpointId }, orderBy: { id: 'asc' } },
    });
    return rows.map(({ data }) => data);
  }

  test('reports once what a call switched off, and nothing that stays off or is on again', async () => {
    const endpoint = await gateway.factories.createWebhookEndpoint(tenant, {
      ...{ url: 'https://receiver.example/', types: ['user.unsubscribed'] },
    });
    await write({ channel_preferences: { sms: off } });
    await write({ channel_preferences: { sms: off }, categories: { news: off } });
    await write({});
    await call('post', '/users', { user_id: userId, preferences: { disabled: true } });
    await call('post', '/users', { user_id: userId, preferences: { disabled: true } });
    const row = await gateway.database.prisma.user.findFirstOrThrow({ where: { userId } });
    const base = { user_sid: row.id, source: 'api' };
    expect(await listData(endpoint.id)).toEqual([
      { ...base, channel: 'sms', category: null },
      { ...base, channel: null, category: 'news' },
      { ...base, channel: null, category: null },
    ]);
  });

  test('is not queued for an endpoint that does not want it, or by a call that is refused', async () => {
    const endpoint = await gateway.factories.createWebhookEndpoint(tenant, {
      ...{ url: 'https://receiver.example/', types: ['message.failed'] },
    });
    const wanting = await gateway.factories.createWebhookEndpoint(tenant, {
      ...{ url: 'https://receiver.example/', types: ['user.unsubscribed'] },
    });
    await write({ disabled: true, categories: { sports: off } });
    expect(await listData(wanting.id)).toEqual([]);
    await write({ disabled: true });
    expect(await listData(endpoint.id)).toEqual([]);
  });
});
