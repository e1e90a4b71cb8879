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

jest.setTimeout(240_000);

const perSecond = 50;
const seconds = 60;
const batches = 3;
const perBatch = 1_000;

let twilio: TwilioSimulator;
let system: System;

beforeAll(async () => {
  twilio = await createTwilioSimulator();
  system = await startSystem({
    env: { TWILIO_API_URL: twilio.url, RELAY_POLL_MS: '250' },
    workers: ['deliver-sms', 'deliver-sms', 'deliver-sms', 'deliver-sms', 'relay,fanout'],
  });
}, 180_000);

afterAll(async () => {
  await system.stop();
  await twilio.close();
}, 120_000);

async function createPlace(
  settings: Record<string, unknown> = {},
): Promise<{ tenant: Tenant; event: string }> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009', ...settings },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
  });
  const version = channelVersion({ text: 'Hi' }, { integrationIds: [id] });
  const { name } = await system.factories.createEvent(tenant, { sms: version });
  return { tenant, event: name };
}

async function bulkSend(tenant: Tenant, event: string, batch: number): Promise<void> {
  const users = Array.from({ length: perBatch }, (_, index) => ({
    user: { mobile: `+45${20_300_000 + batch * perBatch + index}` },
  }));
  const url = new URL(`/v1/apps/${tenant.appId}/events/bulk_send`, system.apiUrl);
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event, batch: users }),
  });
  expect(status).toBe(200);
}

const warmUps = 200;

/** A worker's first call loads the provider's library; calls that got tokens meanwhile go out together. */
async function warmUp(): Promise<void> {
  const { tenant, event } = await createPlace();
  for (let number = 0; number < warmUps; number += 1) {
    await system.sendAccepted(tenant, { event, user: { mobile: `+45${20_310_000 + number}` } });
  }
  await eventually(() => expect(twilio.sends).toHaveLength(warmUps), { timeoutMs: 30_000 });
}

/** The maximum number of arrivals within any second. */
function mostInASecond(sortedMs: readonly number[]): number {
  let first = 0;
  return sortedMs.reduce((most, atMs, index) => {
    while (atMs - (sortedMs[first] ?? 0) >= 1_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

test('four workers together keep one integration’s limit in every second, and everything arrives', async () => {
  await warmUp();
  const arrivedAtMs: number[] = [];
  twilio.onAccepted(({ atMs }) => arrivedAtMs.push(atMs));
  const { tenant, event } = await createPlace({ max_per_second: perSecond });
  for (let batch = 0; batch < batches; batch += 1) await bulkSend(tenant, event, batch);
  await eventually(() => expect(arrivedAtMs).toHaveLength(batches * perBatch), {
    timeoutMs: 200_000,
    intervalMs: 500,
  });
  arrivedAtMs.sort((a, b) => a - b);
  const tookSeconds = ((arrivedAtMs.at(-1) ?? 0) - (arrivedAtMs[0] ?? 0)) / 1_000;
  expect(tookSeconds).toBeGreaterThan(seconds * 0.9);
  expect(mostInASecond(arrivedAtMs)).toBeLessThanOrEqual(perSecond * 1.05);
  const sent = twilio.sends.slice(warmUps);
  expect(new Set(sent.map(({ to }) => to)).size).toBe(batches * perBatch);
});
