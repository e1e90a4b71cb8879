import {
  channelVersion,
  createTwilioSimulator,
  eventually,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSend,
  type TwilioSimulator,
} from '@belfry/testing';

let twilio: TwilioSimulator;
let system: System;
let tenant: Tenant;
let integrationIds: string[];
let recipients = 0;

beforeAll(async () => {
  twilio = await createTwilioSimulator();
  system = await startSystem({ env: { TWILIO_API_URL: twilio.url } });
  ({ tenant, integrationIds } = await createLiveApp());
}, 120_000);

afterAll(async () => {
  await system.stop();
  await twilio.close();
}, 120_000);

async function createLiveApp() {
  const created = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(created, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
  });
  return { tenant: created, integrationIds: [id] };
}

/** An event by SMS with one text per language; returns its name. */
async function createEvent(texts: Record<string, string>): Promise<string> {
  const version = channelVersion({ text: '' }, { integrationIds });
  const templates = Object.fromEntries(Object.entries(texts).map(([tag, text]) => [tag, { text }]));
  return (await system.factories.createEvent(tenant, { sms: { ...version, templates } })).name;
}

function nextMobile(): string {
  recipients += 1;
  return `+1202555${String(recipients).padStart(4, '0')}`;
}

/** The send that Twilio received for this number. */
function received(mobile: string): Promise<TwilioSend> {
  return eventually(async () => {
    const sent = twilio.sends.find(({ to }) => to === mobile);
    if (!sent) throw new Error(`Nothing was sent to ${mobile}`);
    return sent;
  });
}

async function post(path: string, body: unknown) {
  const response = await fetch(new URL(`/v1/apps/${tenant.appId}${path}`, system.apiUrl), {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

describe('constructor and prototype as keys of the data', () => {
  const data = { constructor: 'Ana', house: { prototype: 'wood' } };
  const text = '{{constructor}} {{house.prototype}}|{{house.constructor}}';

  test('are rendered as any other key by a single send, and never an inherited one', async () => {
    const event = await createEvent({ en: text });
    const mobile = nextMobile();
    const override = { constructor: { message: { text: 'no' } }, sms: { prototype: 1 } };
    expect(await post('/events/send', { event, user: { mobile }, data, override })).toMatchObject({
      status: 200,
    });
    expect((await received(mobile)).body).toBe('Ana wood|');
  });

  test('are rendered as any other key by an element of a bulk', async () => {
    const event = await createEvent({ en: text });
    const mobile = nextMobile();
    const batch = [{ user: { mobile }, data }];
    const override = { prototype: { message: { text: 'no' } } };
    expect(await post('/events/bulk_send', { event, batch, override })).toMatchObject({
      status: 200,
    });
    expect((await received(mobile)).body).toBe('Ana wood|');
  });

  test('are shown by a dry run as they are sent', async () => {
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
