import { createKeyRing, createSecrets, newId, writeUnsubscribeToken } from '@belfry/runtime';
import { channelVersion, type Tenant, testSecrets } from '@belfry/testing';
import request, { type Response } from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;
let tenant: Tenant;
let userId: string;

beforeAll(async () => {
  gateway = await createStoredGateway({ deps: { takeOpenCall: () => true } });
});

beforeEach(async () => {
  const { factories } = gateway;
  tenant = await factories.createTenant();
  userId = newId();
  await factories.createCategory(tenant, 'news');
  await factories.createCategory(tenant, 'unused');
  const mail = channelVersion({ subject: 'Hi', text: 'Hi' });
  const text = channelVersion({ text: 'Hi' });
  await factories.createEvent(tenant, { email: mail, sms: text }, { category: 'news' });
  await factories.createEvent(tenant, { email: mail });
  await factories.createEvent(tenant, { telegram: text }, { kind: 'mandatory' });
  await gateway.call({ ...asTenant(), method: 'post', path: '/users', body: { user_id: userId } });
});

afterAll(() => gateway.close());

const asTenant = () => ({ app: tenant.appId, apiKey: tenant.apiKey });
const person = 'ada@example.org';

type TokenChange = { secrets?: ReturnType<typeof testSecrets>; nowMs?: number; isStored?: false };

function createToken(
  fields: { category?: string; channel?: string; appId?: string } = { category: 'news' },
  { secrets = testSecrets(), nowMs = Date.now(), isStored }: TokenChange = {},
): string {
  const token = { appId: tenant.appId, channel: 'email', ...fields };
  const whole = { ...token, messageId: newId(), target: person, ...(isStored ?? { userId }) };
  return writeUnsubscribeToken(whole, { secrets, nowMs });
}

const oneClick = 'List-Unsubscribe=One-Click';
const get = (path: string) => request(gateway.server).get(path);
const post = (path: string, body = oneClick) =>
  request(gateway.server).post(path).type('form').send(body);

async function readPreferences(): Promise<object> {
  const { body } = await gateway.call({
    ...asTenant(),
    ...{ method: 'get', path: `/users/${userId}/preferences` },
  });
  return body;
}

async function readRows() {
  const [suppressions, users] = await Promise.all([
    gateway.database.prisma.suppression.findMany({ where: { appId: tenant.appId } }),
    gateway.database.prisma.user.findMany({ where: { appId: tenant.appId } }),
  ]);
  return { suppressions, users };
}

const none = { disabled: false, channel_preferences: {}, categories: {} };
const mailOff = { channel_preferences: { email: { disabled: true } } };
const newsByMailOff = { ...none, categories: { news: mailOff } };

describe('the POST of a mail program', () => {
  test('twice is 200 twice and switches off the category on the channel, once', async () => {
    await gateway.factories.createWebhookEndpoint(tenant, { url: 'https://receiver.example/' });
    const path = `/u/${createToken()}`;
    for (let time = 0; time < 2; time += 1) {
      const { status, headers } = await post(path);
      expect([status, headers['location'], headers['set-cookie']]).toEqual([
        200,
        undefined,
        undefined,
      ]);
    }
    expect(await readPreferences()).toEqual(newsByMailOff);
    const webhooks = await gateway.database.prisma.webhookDelivery.findMany({
      where: { appId: tenant.appId, type: 'user.unsubscribed' },
    });
    expect(webhooks.map(({ data }) => data)).toEqual([
      expect.objectContaining({ category: 'news', channel: 'email', source: 'link' }),
    ]);
  });

  test('of an event without a category switches off the channel', async () => {
    expect((await post(`/u/${createToken({})}`)).status).toBe(200);
    expect(await readPreferences()).toEqual({ ...none, ...mailOff });
  });

  test('may be multipart, and come from any origin', async () => {
    const sent = request(gateway.server)
      .post(`/u/${createToken()}`)
      .set({ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' })
      .field('List-Unsubscribe', 'One-Click');
    expect((await sent).status).toBe(200);
    expect(await readPreferences()).toEqual(newsByMailOff);
  });

  test('keeps other preferences', async () => {
    const body = { locale: 'de', categories: { unused: { disabled: true } } };
    const path = `/users/${userId}/preferences`;
    await gateway.call({ ...asTenant(), method: 'put', path, body });
    await post(`/u/${createToken()}`);
    const categories = {
      unused: { ...body.categories.unused, channel_preferences: {} },
      news: mailOff,
    };
    expect(await readPreferences()).toEqual({ ...none, locale: 'de', categories });
  });

  test.each([
    ['without a user', { isStored: false }],
    ['of a user that is not stored', {}],
  ] as const)(
    'suppresses the address of a person %s for optional events, once',
    async (_, change) => {
      if (!('isStored' in change)) userId = newId();
      const path = `/u/${createToken({ category: 'news' }, change)}`;
      expect([(await post(path)).status, (await post(path)).status]).toEqual([200, 200]);
      const { suppressions } = await readRows();
      expect(suppressions).toEqual([
        expect.objectContaining({
          ...{ channel: 'email', recipient: person, sender: '', scope: 'optional' },
          ...{ reason: 'opted_out', source: 'unsubscribe', createdBy: null },
        }),
      ]);
    },
  );

  test('leaves a suppression for all events as it is', async () => {
    const { id } = await gateway.database.prisma.suppression.create({
      data: {
        ...{ id: newId(), appId: tenant.appId, channel: 'email', recipient: person },
        ...{ reason: 'manual', scope: 'all' },
      },
    });
    await post(`/u/${createToken({}, { isStored: false })}`);
    expect((await readRows()).suppressions).toEqual([
      expect.objectContaining({ id, scope: 'all' }),
    ]);
  });
});

describe('a link', () => {
  test('changes nothing when it is opened 100 times, by GET or HEAD', async () => {
    const path = `/u/${createToken()}`;
    const before = await readRows();
    for (let time = 0; time < 25; time += 1) {
      const answers = await Promise.all([
        get(path),
        request(gateway.server).head(path),
        get(`${path}/preferences`),
        request(gateway.server).head(`${path}/preferences`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
    expect(await readRows()).toEqual(before);
  });

  test('that is altered, foreign, too old or of a removed app has the answer of an unknown one', async () => {
    const good = createToken();
    const last = good.at(-2) === 'A' ? 'B' : 'A';
    const removed = await gateway.factories.createTenant();
    await gateway.database.prisma.app.update({
      where: { id: removed.appId },
      data: { deletedAt: new Date() },
    });
    const bad = [
      'unknown',
      `${good.slice(0, -2)}${last}${good.at(-1)}`,
      createToken({}, { secrets: createSecrets(createKeyRing()) }),
      createToken({}, { nowMs: Date.now() - 367 * 86_400_000 }),
      createToken({ appId: removed.appId }),
      createToken({ appId: newId() }),
    ];
    const before = await readRows();
    const count = await countInvalid();
    const answers: Response[] = [];
    for (const token of bad) {
      const path = `/u/${token}`;
      answers.push(await get(path), await post(path), await get(`${path}/preferences`));
      answers.push(await post(`${path}/preferences`, 'action=all_off'));
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.text).toContain('This link does not work');
    expect(await readRows()).toEqual(before);
    expect(await countInvalid()).toBe(count + answers.length);
  });

  test('of another app with the same user changes only its own app', async () => {
    const other = await gateway.factories.createTenant();
    await gateway.call({
      ...{ method: 'post', path: '/users', body: { user_id: userId } },
      ...{ app: other.appId, apiKey: other.apiKey },
    });
    const before = await readRows();
    expect((await post(`/u/${createToken({ appId: other.appId })}`)).status).toBe(200);
    expect(await readRows()).toEqual(before);
  });

  test.each<[string, number, (path: string) => request.Test]>([
    ['another value', 422, (path) => post(path, 'List-Unsubscribe=Yes')],
    ['no field', 422, (path) => post(path, 'x=1')],
    ['JSON', 415, (path) => request(gateway.server).post(path).send({ a: 1 })],
    ['no type', 415, (path) => request(gateway.server).post(path)],
    ['a broken form', 400, (path) => post(path).type('multipart/form-data; boundary=x')],
    ['too long a body', 413, (path) => post(path, 'x'.repeat(70_000))],
  ])('that gets a POST with %s answers %i and changes nothing', async (_, status, send) => {
    const before = await readRows();
    const answer = await send(`/u/${createToken()}`);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
    expect(await readRows()).toEqual(before);
  });

  async function countInvalid(): Promise<number> {
    const text = await gateway.readMetrics();
    return Number(/belfry_unsubscribe_links_total\{result="invalid"\} (\d+)/.exec(text)?.[1] ?? 0);
  }
});

describe('a page', () => {
  test.each(['', '/preferences'])(
    'is not cached, indexed or framed, and runs no script: %j',
    async (end) => {
      const { headers, text } = await get(`/u/${createToken()}${end}`);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(text).not.toMatch(/<script|javascript:|style="/);
      expect(text).toContain('a***@example.org');
      expect(text).not.toContain(person);
    },
  );

  test('has the name and color of the app, escaped', async () => {
    await gateway.database.prisma.app.update({
      where: { id: tenant.appId },
      data: { name: '<b>R&D</b>', pageColor: '#00ff88' },
    });
    const { text } = await get(`/u/${createToken()}`);
    expect(text).toContain('&lt;b&gt;R&amp;D&lt;/b&gt;');
    expect(text).toContain('background:#00ff88');
  });

  test('is in the language of the user, else of the browser, else in English', async () => {
    const open = (accept: string, token = createToken()) =>
      get(`/u/${token}`).set('Accept-Language', accept);
    expect((await open('pt-BR, fr-CA;q=0.9, en;q=0.8')).text).toContain(
      '<html lang="fr" dir="ltr">',
    );
    expect((await open('ar')).text).toContain('<html lang="ar" dir="rtl">');
    expect((await open('pt')).text).toContain('<html lang="en" dir="ltr">');
    const body = { locale: 'de-AT' };
    await gateway.call({
      ...asTenant(),
      method: 'put',
      path: `/users/${userId}/preferences`,
      body,
    });
    expect((await open('fr')).text).toContain('<html lang="de" dir="ltr">');
  });
});

describe('the preference page', () => {
  const shown = ['news email', 'news sms', '- email'];
  const save = (on: string[], of = shown) =>
    post(
      `/u/${createToken()}/preferences`,
      [
        ...of.map((value) => ['shown', value]),
        ...on.map((value) => ['on', value]),
        ['action', 'save'],
      ]
        .map(([name = '', value = '']) => `${name}=${encodeURIComponent(value)}`)
        .join('&'),
    );
  const readBoxes = (text: string) =>
    [...text.matchAll(/name="on" value="([^"]+)"( checked)?/g)].map(([, value, on]) => [
      value,
      !!on,
    ]);

  test('shows the categories and channels of live optional events, and what is on', async () => {
    const body = { categories: { news: { disabled: true } } };
    await gateway.call({
      ...asTenant(),
      method: 'put',
      path: `/users/${userId}/preferences`,
      body,
    });
    const { text } = await get(`/u/${createToken()}/preferences`);
    expect(readBoxes(text)).toEqual([
      ['news email', false],
      ['news sms', false],
      ['- email', true],
    ]);
  });

  test('stores the choices, and shows them', async () => {
    const { status, text } = await save(['news sms', '- email']);
    expect(status).toBe(200);
    expect(text).toContain('Your choices are saved.');
    expect(readBoxes(text).map(([, isOn]) => isOn)).toEqual([false, true, true]);
    expect(await readPreferences()).toEqual(newsByMailOff);
    await save(shown);
    const on = { channel_preferences: { email: { disabled: false } } };
    expect(await readPreferences()).toEqual({ ...none, categories: { news: on } });
  });

  test('turns everything off', async () => {
    const { text } = await post(`/u/${createToken()}/preferences`, 'action=all_off');
    expect(readBoxes(text).every(([, isOn]) => !isOn)).toBe(true);
    expect(await readPreferences()).toEqual({ ...none, disabled: true });
  });

  test.each([
    ['a category that the app does not have', [...shown, 'sports email']],
    ['a mandatory event’s channel', [...shown, '- telegram']],
    ['fewer choices than there are', shown.slice(1)],
  ])('stores nothing from a form with %s, and shows the choices again', async (_, of) => {
    const { status, text } = await save([], of);
    expect(status).toBe(422);
    expect(text).toContain('Nothing was saved');
    expect(await readPreferences()).toEqual(none);
  });

  test('of a person who is not stored is the unsubscribe page', async () => {
    const token = createToken({}, { isStored: false });
    const { text } = await get(`/u/${token}/preferences`);
    expect(text).toContain(`action="../${token}"`);
    expect((await post(`/u/${token}/preferences`, 'action=all_off')).status).toBe(422);
    expect((await readRows()).suppressions).toEqual([]);
  });
});
