import { createLogger, createRedis } from '@belfry/runtime';
import {
  eventually,
  fcmSendPath,
  type SimulatedChannels,
  type System,
  startSimulatedChannels,
  startSystem,
  type Tenant,
  testRedis,
} from '@belfry/testing';

/** A number that cannot be in a log by chance. Each address of the person contains it. */
const person = 8_237_461;
const slackTokenOfTheCall = 'xoxb-4444-5555-canaryofthecall';
const value = 'Canary Value 4711';
const copy = 'canary.copy@example.org';

let simulated: SimulatedChannels;
let system: System;
let tenant: Tenant;

beforeAll(async () => {
  simulated = await startSimulatedChannels();
  system = await startSystem({
    env: { ...simulated.env, LOG_LEVEL: 'debug', SEND_TIMEOUT_MS: '3000' },
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await simulated.close();
}, 120_000);

/** Identifies an integration to its provider, but is not secret. */
const publicNames = ['account_sid', 'user'];

/** Secrets that must never appear in clear, by origin. */
function listSecrets(): [string, string][] {
  const channelSecrets = Object.entries(simulated.channels).flatMap(([channel, { credentials }]) =>
    Object.entries(credentials)
      .filter(([name]) => !publicNames.includes(name))
      .map(([name, secret]): [string, string] => [`${channel} ${name}`, keyIn(String(secret))]),
  );
  return [...channelSecrets, ['slack token', slackTokenOfTheCall], ['API key', tenant.apiKey]];
}

/** In a service account file only the private key is secret. This is one line of it. */
function keyIn(secret: string): string {
  return /-----BEGIN[^\n\\]*(?:\n|\\n)([\w+/=]+)/.exec(secret)?.[1] ?? secret;
}

/** Personal data: allowed in PostgreSQL, but neither in Redis nor in a log. */
function listPersonal(): string[] {
  return [...Object.values(simulated.channels).map(({ target }) => target(person)), value, copy];
}

/** Each provider repeats the request's secrets in its refusal. */
function failOnce(): void {
  const { smtp, fcm, twilio, meta, slack, telegram, onesignal } = simulated.simulators;
  // It refuses the content: an address that bounced would be suppressed for later sends.
  smtp.fail({ at: 'rcpt', reply: `550 5.7.1 ${repeatedOn('email')}` });
  twilio.fail({ reply: replyOn('sms') });
  meta.fail({ reply: replyOn('whatsapp') });
  slack.fail({ reply: replyOn('slack') });
  telegram.fail({ reply: replyOn('telegram') });
  onesignal.fail({ reply: replyOn('onesignal') });
  // The first call may request an access token.
  fcm.fail({ on: fcmSendPath, reply: replyOn('push') });
}

function replyOn(channel: string) {
  return { status: 500, body: { error: { message: repeatedOn(channel) } } };
}

/** Secrets that our calls do not contain, so no answer can repeat them. */
const neverSent = ['whatsapp app_secret', 'whatsapp verify_token', 'push service_account'];

function repeatedOn(channel: string): string {
  const own = listSecrets().filter(
    ([name]) => name.startsWith(`${channel} `) && !neverSent.includes(name),
  );
  return [...own.map(([, secret]) => secret), ...listPersonal()].join(' ');
}

/** Sends that succeed, meet a fault of each provider, time out, are retried and are refused. */
async function sendAll(): Promise<void> {
  const { name: event } = await simulated.createEvent(system.factories, tenant, 'For {{name}}');
  const user = simulated.user(person);
  const slack = { ...(user['slack'] as object), access_token: slackTokenOfTheCall };
  const body = {
    event,
    user,
    data: { name: value },
    override: { email: { cc: [copy] } },
  };
  await settle(await system.sendAccepted(tenant, { ...body, user: { ...user, slack } }));
  failOnce();
  await settle(await system.sendAccepted(tenant, body));
  for (const { dropAnswers } of Object.values(simulated.channels)) dropAnswers(1);
  await settle(await system.sendAccepted(tenant, body));
  for (const { throttle } of Object.values(simulated.channels)) throttle(1);
  await settle(await system.sendAccepted(tenant, body));
  const rejection = await system.send(tenant, { ...body, event: 5 });
  expect(rejection.status).toBe(400);
}

async function settle(requestId: string): Promise<void> {
  await eventually(
    async () => {
      const states = (await system.readMessages(requestId)).map(({ state }) => state);
      expect(states).toHaveLength(Object.keys(simulated.channels).length + 1);
      for (const state of states) {
        expect(['sent', 'delivered', 'failed', 'unknown']).toContain(state);
      }
    },
    { timeoutMs: 30_000 },
  );
}

async function dumpPostgres(): Promise<string> {
  const { rows: tables } = await system.database.delivery.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const dumps = await Promise.all(
    tables.map(({ name }) =>
      system.database.delivery.query(`SELECT t::text AS row FROM ${name} t`),
    ),
  );
  expect(tables.length).toBeGreaterThan(20);
  return dumps.flatMap(({ rows }) => rows.map(({ row }) => String(row))).join('\n');
}

async function dumpRedis(): Promise<string> {
  const log = createLogger({ level: 'error', process: 'test' });
  const redis = createRedis({ url: testRedis().url, log });
  await eventually(async () => expect(redis.status).toBe('ready'));
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  redis.disconnect();
  expect(keys.length).toBeGreaterThan(0);
  return keys.concat(values.map((value) => value?.toString('latin1') ?? '')).join('\n');
}

function readLogs(): string {
  return [system.api, ...system.workers].flatMap(({ output }) => output).join('\n');
}

describe('a send with secrets and personal data on every channel', () => {
  test('leaves secrets in no table, no Redis key and no log, and personal data in neither Redis nor a log', async () => {
    await sendAll();
    const places = { tables: await dumpPostgres(), redis: await dumpRedis(), logs: readLogs() };
    // Every place was searched, and every provider was called.
    for (const target of listPersonal()) expect(places.tables).toContain(target);
    expect(places.logs).toContain('attempt.closed');
    for (const { countSends } of Object.values(simulated.channels)) {
      expect(countSends()).toBeGreaterThan(1);
    }
    const leaks = Object.entries(places).flatMap(([place, text]) => [
      ...listSecrets()
        .filter(([, secret]) => text.includes(secret))
        .map(([name]) => `${name} in ${place}`),
      ...listPersonal()
        .filter((personalText) => place !== 'tables' && text.includes(personalText))
        .map((personalText) => `${personalText} in ${place}`),
    ]);
    expect(leaks).toEqual([]);
  }, 180_000);
});
