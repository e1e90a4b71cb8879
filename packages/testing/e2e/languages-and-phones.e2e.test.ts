import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createOnesignalSimulator,
  createTwilioSimulator,
  eventually,
  type OnesignalSimulator,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSend,
  type TwilioSimulator,
} from '@belfry/testing';

let twilio: TwilioSimulator;
let onesignal: OnesignalSimulator;
let system: System;
let tenant: Tenant;
let integrationIds: string[];
let recipients = 0;

beforeAll(async () => {
  twilio = await createTwilioSimulator();
  onesignal = await createOnesignalSimulator();
  const env = { TWILIO_API_URL: twilio.url, ONESIGNAL_API_URL: onesignal.url };
  system = await startSystem({ env });
  ({ tenant, integrationIds } = await createLiveApp());
}, 120_000);

afterAll(async () => {
  await system.stop();
  await Promise.all([twilio.close(), onesignal.close()]);
}, 120_000);

async function createLiveApp(settings: { defaultRegion?: string } = {}) {
  const created = await system.factories.createTenant({ delivery: 'live', ...settings });
  const { id } = await system.factories.createIntegration(created, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
  });
  return { tenant: created, integrationIds: [id] };
}

/** Publishes an SMS event with one text per language; returns its name. */
async function createEvent(texts: Record<string, string>): Promise<string> {
  const version = channelVersion({ text: '' }, { integrationIds });
  const templates = Object.fromEntries(Object.entries(texts).map(([tag, text]) => [tag, { text }]));
  return (await system.factories.createEvent(tenant, { sms: { ...version, templates } })).name;
}

function nextMobile(): string {
  recipients += 1;
  return `+1202555${String(recipients).padStart(4, '0')}`;
}

/** The request that Twilio received for this number. */
function received(mobile: string): Promise<TwilioSend> {
  return eventually(async () => {
    const sent = twilio.sends.find(({ to }) => to === mobile);
    if (!sent) throw new Error(`No SMS was sent to ${mobile}`);
    return sent;
  });
}

async function post(path: string, body: unknown, { appId, apiKey } = tenant) {
  const response = await fetch(new URL(`/v1/apps/${appId}${path}`, system.apiUrl), {
    method: 'POST',
    headers: { Authorization: `AuthKey ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  // The tests assert on the shape of the answer.
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('constructor and prototype as keys of the data', () => {
  const data = { constructor: 'Ana', house: { prototype: 'wood' } };
  const text = '{{constructor}} {{house.prototype}}|{{house.constructor}}';

  test('are rendered like other keys in a single send, and inherited ones never', async () => {
    const event = await createEvent({ en: text });
    const mobile = nextMobile();
    const override = { constructor: { message: { text: 'no' } }, sms: { prototype: 1 } };
    expect(await post('/events/send', { event, user: { mobile }, data, override })).toMatchObject({
      status: 200,
    });
    expect((await received(mobile)).body).toBe('Ana wood|');
  });

  test('are rendered like other keys in an element of a bulk', async () => {
    const event = await createEvent({ en: text });
    const mobile = nextMobile();
    const batch = [{ user: { mobile }, data }];
    const override = { prototype: { message: { text: 'no' } } };
    expect(await post('/events/bulk_send', { event, batch, override })).toMatchObject({
      status: 200,
    });
    expect((await received(mobile)).body).toBe('Ana wood|');
  });

  test('are rendered in a dry run as in a send', async () => {
    const event = await createEvent({ en: text });
    const answer = await post('/events/send?dry_run=true', {
      event,
      user: { mobile: nextMobile() },
      data,
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { messages: [{ would: 'send', request: { body: { Body: 'Ana wood|' } } }] },
    });
  });
});

describe('the language of a message', () => {
  const texts = {
    en: 'English',
    de: 'Deutsch',
    'pt-BR': 'Brasil',
    'zh-Hans': 'Hans',
    'zh-Hant': 'Hant',
  };
  let event: string;

  beforeAll(async () => {
    event = await createEvent(texts);
  });

  test.each([
    ['pt_BR', 'Brasil'],
    ['pt-br', 'Brasil'],
    ['de_AT', 'Deutsch'],
    ['DE', 'Deutsch'],
    ['zh-Hant-TW', 'Hant'],
    ['zh_hans_cn', 'Hans'],
    ['de-x-private', 'Deutsch'],
  ])('%s selects %s by RFC 4647 lookup', async (locale, text) => {
    const [mobile, otherMobile] = [nextMobile(), nextMobile()];
    const id = await system.sendAccepted(tenant, { event, user: { mobile }, locale });
    const batch = [{ user: { mobile: otherMobile, preferences: { locale } } }];
    await post('/events/bulk_send', { event, batch });
    expect((await received(mobile)).body).toBe(text);
    expect((await received(otherMobile)).body).toBe(text);
    const [message] = await system.settled(id, ['sent']);
    expect(message?.notes).not.toHaveProperty('language');
  });

  test.each([
    ['fr-CA', 'there is no template for fr-CA: the default, en, was used'],
    ['fr!', '"fr!" is not a language tag such as de or pt-BR: the default, en, was used'],
  ])('%s falls back to the default, and the log and a dry run say so', async (locale, note) => {
    const mobile = nextMobile();
    const body = { event, user: { mobile }, locale };
    expect(await post('/events/send?dry_run=true', body)).toMatchObject({
      body: { messages: [{ notes: { language: note }, warnings: [note] }] },
    });
    const id = await system.sendAccepted(tenant, body);
    expect((await received(mobile)).body).toBe('English');
    const [message] = await system.settled(id, ['sent']);
    expect(message?.notes).toMatchObject({ language: note });
  });

  test('of a stored user applies to OneSignal and the inbox too', async () => {
    const { id } = await system.factories.createIntegration(tenant, {
      channel: 'onesignal',
      provider: 'onesignal',
      settings: { app_id: '11111111-1111-4111-8111-111111111111' },
      credentials: { rest_api_key: 'os_v2_app_simulated' },
    });
    const titles = { en: { title: 'English' }, 'pt-BR': { title: 'Brasil' } };
    const version = { ...channelVersion({}), templates: titles };
    const channels = { onesignal: { ...version, integrationIds: [id] }, in_app: version };
    const { name } = await system.factories.createEvent(tenant, channels);
    const userId = newId();
    const preferences = { locale: 'pt_br' };
    await post('/users', { user_id: userId, onesignal_external_id: 'os-1', preferences });
    const requestId = await system.sendAccepted(tenant, { event: name, user: { user_id: userId } });
    await system.settled(requestId, ['delivered', 'sent']);
    expect(onesignal.sends.map(({ body }) => body['contents'])).toEqual([{ en: 'Brasil' }]);
    const [item] = await system.database.prisma.inboxItem.findMany({ where: { userId } });
    expect(item?.content).toMatchObject({ title: 'Brasil' });
  });
});

describe('plural', () => {
  const texts = {
    en: '{{count}} {{plural count one="file" other="files"}}',
    pl: '{{count}} {{plural count one="plik" few="pliki" many="plików" other="pliku"}}',
    ar: '{{plural count zero="z" one="o" two="t" few="f" many="m" other="x"}}',
  };

  test.each([
    ['en', 1, '1 file'],
    ['en', 0, '0 files'],
    ['en', '1', '1 file'],
    ['en-GB', 2, '2 files'],
    ['pl', 1, '1 plik'],
    ['pl_PL', 3, '3 pliki'],
    ['pl', '5', '5 plików'],
    ['pl', 1.5, '1.5 pliku'],
    ['ar', 0, 'z'],
    ['ar', 2, 't'],
    ['ar', 11, 'm'],
    // The English template is used, with English plural rules.
    ['cs', 2, '2 files'],
  ])('in %s with %j gives "%s"', async (locale, count, text) => {
    const event = await createEvent(texts);
    const mobile = nextMobile();
    await system.sendAccepted(tenant, { event, user: { mobile }, data: { count }, locale });
    expect((await received(mobile)).body).toBe(text);
  });
});

describe('a phone number in an app without a default region', () => {
  async function sendTo(mobile: string) {
    const event = await createEvent({ en: 'Hi' });
    const dryRun = await post('/events/send?dry_run=true', { event, user: { mobile } });
    const id = await system.sendAccepted(tenant, { event, user: { mobile } });
    return { id, dryRun: dryRun.body.messages[0] };
  }

  test('without + and country code is not sent, in particular not to Egypt', async () => {
    const { id, dryRun } = await sendTo('2025550123');
    expect(dryRun).toMatchObject({ would: 'skip', reason: 'invalid_address' });
    expect(dryRun.detail).toContain('country code missing');
    expect(await system.readMessages(id)).toEqual([]);
    expect(twilio.sends.map(({ to }) => to)).not.toContain('+2025550123');
  });

  test('with a country code but no + is sent to that country, with a warning that names it', async () => {
    const { id, dryRun } = await sendTo('45 20 12 34 17');
    const warning = expect.stringMatching(/^"45 20 12 34 17" .*\+4520123417.*Denmark.*\+/);
    expect(dryRun.warnings).toEqual([warning]);
    expect((await received('+4520123417')).body).toBe('Hi');
    const [message] = await system.settled(id, ['sent']);
    expect(message?.notes).toMatchObject({ address: warning });
  });

  test.each([
    ['+49 (0)30 123456', '+4930123456'],
    ['+49030123457', '+4930123457'],
    ['0044 (0)20 7946 0958', '+442079460958'],
    ['+39 (0)6 1234 5678', '+390612345678'],
  ])(
    '%s goes to %s: a leading zero is dropped except where the country dials it',
    async (input, to) => {
      await sendTo(input);
      expect((await received(to)).to).toBe(to);
    },
  );
});

describe('a phone number in an app with a default region', () => {
  let american: Tenant;
  let event: string;

  beforeAll(async () => {
    const app = await createLiveApp({ defaultRegion: 'US' });
    american = app.tenant;
    const version = channelVersion({ text: 'Hi' }, { integrationIds: app.integrationIds });
    event = (await system.factories.createEvent(american, { sms: version })).name;
  });

  test.each([
    ['2025550199', '+12025550199'],
    ['(202) 555-0198', '+12025550198'],
    ['1 202 555 0197', '+12025550197'],
    ['+45 20 12 34 18', '+4520123418'],
  ])('%s goes to %s, in a single send and in a bulk', async (mobile, to) => {
    await system.sendAccepted(american, { event, user: { mobile } });
    expect((await received(to)).body).toBe('Hi');
    await post('/events/bulk_send', { event, batch: [{ user: { mobile } }] }, american);
    await eventually(async () => {
      expect(twilio.sends.filter((sent) => sent.to === to)).toHaveLength(2);
    });
  });

  test('that is valid there and in another country is skipped as ambiguous', async () => {
    const user = { mobile: '3213805192' };
    const answer = await post('/events/send?dry_run=true', { event, user }, american);
    expect(answer.body.messages).toMatchObject([
      {
        would: 'skip',
        reason: 'invalid_address',
        detail:
          'mobile "3213805192" is ambiguous: add + and the country code (+3213805192 in Belgium or +13213805192 in United States).',
      },
    ]);
    const id = await system.sendAccepted(american, { event, user });
    expect(await system.readMessages(id)).toEqual([]);
  });
});
