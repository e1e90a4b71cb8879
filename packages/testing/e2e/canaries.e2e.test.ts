import { createLogger, createRedis } from '@belfry/runtime';
import {
  eventually,
  fcmSendPath,
  type MessageRow,
  type SimulatedChannels,
  type System,
  startSimulatedChannels,
  startSystem,
  type Tenant,
  testRedis,
} from '@belfry/testing';

/** Numbers that cannot be in a log by chance. Each address of a person contains one. */
const people = [8_237_461, 8_237_462, 8_237_463, 8_237_464] as const;
type Person = (typeof people)[number];
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
function listPersonal(numbers: readonly Person[] = people): string[] {
  const targets = Object.values(simulated.channels).flatMap(({ target }) => numbers.map(target));
  return [...targets, value, copy];
}

/** Each provider repeats the secrets of a request to this person in its refusal. */
function failOnce(person: Person): void {
  const repeatedOn = (channel: string) =>
    [...listSent(channel), ...listPersonal([person])].join(' ');
  const replyOn = (channel: string) => ({
    reply: { status: 500, body: { error: { message: repeatedOn(channel) } } },
  });
  const { smtp, fcm, twilio, meta, slack, telegram, onesignal } = simulated.simulators;
  // It refuses the content: an address that bounced would be suppressed for later sends.
  smtp.fail({ at: 'rcpt', reply: `550 5.7.1 ${repeatedOn('email')}` });
  twilio.fail(replyOn('sms'));
  meta.fail(replyOn('whatsapp'));
  slack.fail(replyOn('slack'));
  telegram.fail(replyOn('telegram'));
  onesignal.fail(replyOn('onesignal'));
  // The first call may request an access token.
  fcm.fail({ on: fcmSendPath, ...replyOn('push') });
}

/** Secrets that our calls do not contain, so no answer can repeat them. */
const neverSent = ['whatsapp app_secret', 'whatsapp verify_token', 'push service_account'];

function listSent(channel: string): string[] {
  return listSecrets()
    .filter(([name]) => name.startsWith(`${channel} `) && !neverSent.includes(name))
    .map(([, secret]) => secret);
}

/**
 * Sends that succeed, meet a fault of each provider, time out, are retried and are refused. Each goes to another person,
 * as a recipient on WhatsApp may get one message every 6 s.
 */
async function sendAll(): Promise<void> {
  const { name: event } = await simulated.createEvent(system.factories, tenant, 'For {{name}}');
  const [first, refused, unanswered, throttled] = people;
  const createBody = (person: Person) => ({
    event,
    user: simulated.user(person),
    data: { name: value },
    override: { email: { cc: [copy] } },
  });
  const body = createBody(first);
  const slack = { ...Object(body.user['slack']), access_token: slackTokenOfTheCall };
  const send = (each: object) => system.sendAccepted(tenant, each);
  const requestIds = [await send({ ...body, user: { ...body.user, slack } })];
  await waitUntilTried(requestIds);
  failOnce(refused);
  requestIds.push(await send(createBody(refused)));
  await waitUntilTried(requestIds);
  for (const { dropAnswers } of Object.values(simulated.channels)) dropAnswers(1);
  requestIds.push(await send(createBody(unanswered)));
  await waitUntilTried(requestIds);
  for (const { throttle } of Object.values(simulated.channels)) throttle(1);
  requestIds.push(await send(createBody(throttled)));
  for (const requestId of requestIds) await settle(requestId);
  const rejection = await system.send(tenant, { ...body, event: 5 });
  expect(rejection.status).toBe(400);
}

/** Until each message has met its provider. Retries need not be over. */
function waitUntilTried(requestIds: readonly string[]): Promise<void> {
  return eventually(
    async () => {
      for (const requestId of requestIds) {
        for (const { attemptRows } of await readAll(requestId))
          expect(attemptRows[0]?.closedAt).toBeTruthy();
      }
    },
    { timeoutMs: 30_000 },
  );
}

/** The messages of a request, one on each channel. */
async function readAll(requestId: string): Promise<MessageRow[]> {
  const messages = await system.readMessages(requestId);
  expect(messages).toHaveLength(Object.keys(simulated.channels).length + 1);
  return messages;
}

async function settle(requestId: string): Promise<void> {
  await eventually(
    async () => {
      for (const { state } of await readAll(requestId)) {
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
