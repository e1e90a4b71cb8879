import {
  channelVersion,
  createTwilioSimulator,
  eventually,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSimulator,
} from '@belfry/testing';

let twilio: TwilioSimulator;
let system: System;
let accounts = 0;
let phones = 0;

beforeAll(async () => {
  twilio = await createTwilioSimulator();
  system = await startSystem({
    env: { TWILIO_API_URL: twilio.url },
    workers: ['deliver-sms,relay', 'deliver-sms'],
  });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await twilio.close();
}, 120_000);

type Place = { tenant: Tenant; event: string; accountSid: string };

async function createPlace(settings: Record<string, unknown> = {}): Promise<Place> {
  accounts += 1;
  const accountSid = `AC${String(accounts).padStart(32, '0')}`;
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009', ...settings },
    credentials: { account_sid: accountSid, auth_token: simulatedAuthToken },
  });
  const version = channelVersion({ text: 'Hi' }, { integrationIds: [id] });
  const { name: event } = await system.factories.createEvent(tenant, { sms: version });
  return { tenant, event, accountSid };
}

function send({ tenant, event }: Place): Promise<string> {
  phones += 1;
  const mobile = `+45${20_200_000 + phones}`;
  return system.sendAccepted(tenant, { event, user: { mobile } });
}

const listSends = ({ accountSid }: Place) =>
  twilio.sends.filter((providerCall) => providerCall.accountSid === accountSid);

describe('the rate limit of an integration, over two workers', () => {
  test('lets through no more than its rate, uses no attempt for waiting, and loses nothing', async () => {
    // The first call loads the provider's library, which would only delay it.
    const warm = await createPlace();
    await Promise.all(
      (await Promise.all([send(warm), send(warm)])).map((id) =>
        system.settled(id, ['sent'], 30_000),
      ),
    );
    const place = await createPlace({ max_per_second: 20 });
    const arrivedAtMs: number[] = [];
    twilio.onAccepted(({ send: { accountSid }, atMs }) => {
      if (accountSid === place.accountSid) arrivedAtMs.push(atMs);
    });
    const requests = await Promise.all(Array.from({ length: 50 }, () => send(place)));
    for (const requestId of requests) {
      const [message] = await system.settled(requestId, ['sent'], 30_000);
      expect(message?.attempts).toBe(1);
    }
    expect(arrivedAtMs).toHaveLength(50);
    // On a busy machine a call may arrive late, but never early.
    const [firstMs = 0] = arrivedAtMs;
    for (const [index, atMs] of arrivedAtMs.entries()) {
      expect(index + 1).toBeLessThanOrEqual(8 + ((atMs - firstMs) / 1_000) * 20);
    }
  });

  test('backs off when its provider answers 429, without delaying another tenant', async () => {
    const [busy, quiet] = [await createPlace(), await createPlace()];
    const path = `/Accounts/${busy.accountSid}/Messages.json`;
    const headers = { 'retry-after': '3' };
    twilio.fail({ on: path, reply: { status: 429, headers, body: '{}' } });
    const first = await send(busy);
    await eventually(async () => {
      const [message] = await system.readMessages(first);
      expect(message?.attemptRows[0]?.outcome).toBe('retry');
    });
    const laterRequestIds = await Promise.all([send(busy), send(busy)]);
    await system.settled(await send(quiet), ['sent']);
    for (const requestId of laterRequestIds) {
      await eventually(async () => {
        const [message] = await system.readMessages(requestId);
        expect(message).toMatchObject({ state: 'queued', waits: 'limit', attempts: 0 });
      });
    }
    expect(listSends(busy)).toEqual([]);
    for (const requestId of [first, ...laterRequestIds])
      await system.settled(requestId, ['sent'], 30_000);
  });
});
