import { createLogger, createRedis } from '@belfry/runtime';
import {
  channelVersion,
  createSlackSimulator,
  createSmtpSimulator,
  eventually,
  type SlackSimulator,
  type SmtpSimulator,
  type System,
  startSystem,
  type Tenant,
  testRedis,
} from '@belfry/testing';

/** What must be found nowhere in clear. */
const secrets = {
  slackTokenOfTheCall: 'xoxb-4444-5555-canaryofthecall',
  slackTokenOfTheIntegration: 'xoxb-6666-7777-canaryofintegration',
  smtpPassword: 'canary-password-9Q',
};

/** What may lie in PostgreSQL, but neither in Redis nor in a log. */
const personal = {
  address: 'canary.person@example.org',
  value: 'Canary Value 4711',
  copy: 'canary.copy@example.org',
};

let system: System;
let smtp: SmtpSimulator;
let slack: SlackSimulator;
let tenant: Tenant;

beforeAll(async () => {
  smtp = await createSmtpSimulator({ login: { user: 'belfry', pass: secrets.smtpPassword } });
  slack = await createSlackSimulator();
  // The relay and the workers are stopped while Redis is read, so that jobs are still there.
  system = await startSystem({
    env: { SLACK_API_URL: slack.url, LOG_LEVEL: 'debug', SEND_TIMEOUT_MS: '3000' },
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await Promise.all([smtp.close(), slack.close()]);
}, 120_000);

async function createEvent(): Promise<string> {
  const mail = await system.factories.createIntegration(tenant, {
    channel: 'email',
    provider: 'smtp',
    settings: {
      host: '127.0.0.1',
      port: smtp.port,
      require_tls: false,
      from: { address: 'notify@example.com' },
    },
    credentials: { user: 'belfry', pass: secrets.smtpPassword },
  });
  const chat = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: secrets.slackTokenOfTheIntegration },
  });
  const { name } = await system.factories.createEvent(tenant, {
    email: channelVersion(
      { subject: 'For {{name}}', html: '<p>{{name}}</p>' },
      { integrationIds: [mail.id] },
    ),
    slack: channelVersion({ text: 'For {{name}}' }, { integrationIds: [chat.id] }),
  });
  return name;
}

/** One send that works, and one that meets a fault of each provider. */
async function sendAll(event: string): Promise<void> {
  const body = (token?: string) => ({
    event,
    user: {
      email: personal.address,
      slack: { channel_id: 'C0CANARY01', ...(token ? { access_token: token } : {}) },
    },
    data: { name: personal.value },
    override: { email: { cc: [personal.copy] } },
  });
  const first = await system.send(tenant, body(secrets.slackTokenOfTheCall));
  await settle(String(first.body.request_id));
  smtp.fail({ at: 'rcpt', reply: `550 5.1.1 <${personal.address}> is no user` });
  slack.fail({ on: 'chat.postMessage', reply: { status: 500, body: { ok: false } } });
  const second = await system.send(tenant, body());
  await settle(String(second.body.request_id));
  const refused = await system.send(tenant, { ...body(), event: 5 });
  expect(refused.status).toBe(400);
}

async function settle(requestId: string): Promise<void> {
  await eventually(
    async () => {
      const states = (await system.readMessages(requestId)).map(({ state }) => state);
      expect(states).toHaveLength(2);
      for (const state of states) expect(['sent', 'failed', 'unknown']).toContain(state);
    },
    { timeoutMs: 15_000 },
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

describe('a send with secrets and personal data', () => {
  test('leaves secrets in no table, no Redis key and no log, and personal data in neither Redis nor a log', async () => {
    await sendAll(await createEvent());
    const [tables, redis, logs] = [await dumpPostgres(), await dumpRedis(), readLogs()];
    // Each place was looked at for real.
    expect(tables).toContain(personal.address);
    expect(logs).toContain('attempt.closed');
    for (const secret of [...Object.values(secrets), tenant.apiKey]) {
      expect(tables).not.toContain(secret);
      expect(redis).not.toContain(secret);
      expect(logs).not.toContain(secret);
    }
    for (const value of Object.values(personal)) {
      expect(redis).not.toContain(value);
      expect(logs).not.toContain(value);
    }
  }, 120_000);
});
