import type { ServerResponse } from 'node:http';
import {
  createSystemActor,
  createWebhookEndpoints,
  type Database,
  inTransaction,
} from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import type { WebhookTry } from '@belfry/shared';
import {
  createFactories,
  eventually,
  openDatabase,
  ownDatabase,
  type Tenant,
  testSecrets,
} from '@belfry/testing';
import { Webhook } from 'standardwebhooks';
import { createDeadlines } from '../deliver/attempt';
import { createEndpoint, type TestEndpoint } from './endpoint.fixture';
import { queueExample } from './read-deliveries';
import { type Receiver, startReceiver } from './receiver.fixture';
import { startWebhooks, type WebhookServices } from './start-webhooks';

jest.setTimeout(30_000);

const log = createLogger({ level: 'error', process: 'test' });
const secrets = testSecrets();

let store: Awaited<ReturnType<typeof ownDatabase>>;
let database: Database;
let tenant: Tenant;
let receiver: Receiver;
let endpoint: TestEndpoint;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  store = await ownDatabase();
  database = openDatabase({ url: store.url, poolSize: 4 });
});

beforeEach(async () => {
  tenant = await createFactories(database).createTenant();
  receiver = await startReceiver();
  closers.push(receiver.close);
  endpoint = await createEndpoint(database, tenant, { url: receiver.url });
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.delivery.query('DELETE FROM webhook_endpoint');
});

afterAll(async () => {
  await database.close();
  await store.drop();
});

const counts: string[] = [];

/** Starts the role, with short waits between the tries. */
function start({
  waitsMs = Array<number>(9).fill(5),
  timeoutMs = 2_000,
  allowedHosts = '127.0.0.1',
  deadlines = createDeadlines(),
} = {}): WebhookServices['deadlines'] {
  counts.length = 0;
  const webhooks = startWebhooks(
    {
      env: { ALLOWED_PRIVATE_HOSTS: allowedHosts },
      log,
      database,
      secrets,
      deadlines,
      metrics: { countWebhook: (outcome) => counts.push(outcome) },
    },
    { waitsMs, timeoutMs, idleMs: 20 },
  );
  closers.push(webhooks.close);
  return deadlines;
}

const actor = () => ({ ...createSystemActor(tenant.accountId), appId: tenant.appId });

async function queue(endpointId = endpoint.id): Promise<string> {
  const example = { endpointId, type: 'message.sent' } as const;
  return (await queueExample(database.delivery, actor(), example)).id;
}

const readDelivery = (id: string) =>
  database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
const readEndpoint = (id = endpoint.id) =>
  database.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
const alter = (text: string, id: string) => database.delivery.query(text, [id]);

/** Statements of this database that wait for a row. */
async function countLockWaits(): Promise<number> {
  const { rows } = await database.delivery.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

async function waitForOutcome(id: string, outcome: string): Promise<WebhookTry[]> {
  await eventually(async () => expect((await readDelivery(id)).outcome).toBe(outcome));
  return (await readDelivery(id)).tries as WebhookTry[];
}

const readHeaders = ({ headers }: Receiver['received'][number]) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});

describe('a webhook', () => {
  test('arrives, and `standardwebhooks` verifies its raw body', async () => {
    start();
    const id = await queue();
    await waitForOutcome(id, 'delivered');
    const [webhook] = receiver.received;
    expect(webhook!.headers).toMatchObject({
      'webhook-id': id,
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Belfry\/\d/),
    });
    const event = new Webhook(endpoint.secret).verify(webhook!.body, readHeaders(webhook!));
    expect(event).toMatchObject({
      type: 'message.sent',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: { app_id: tenant.appId, state: 'sent', test: true },
    });
    const forged = webhook!.body.replace('sent', 'read');
    expect(() => new Webhook(endpoint.secret).verify(forged, readHeaders(webhook!))).toThrow();
    expect(counts).toEqual(['delivered']);
  });

  test('is signed with both secrets for 24 hours after a rotation, then with the new one alone', async () => {
    const endpoints = createWebhookEndpoints({ pool: database.lookUps, secrets });
    const rotated = await inTransaction(database.lookUps, (client) =>
      endpoints.rotateSecret(client, actor(), endpoint.id),
    );
    start();
    await waitForOutcome(await queue(), 'delivered');
    await alter(
      `UPDATE webhook_endpoint SET previous_secret_ends_at = now() - interval '1 s' WHERE id = $1`,
      endpoint.id,
    );
    await waitForOutcome(await queue(), 'delivered');
    const verify = (secret: string, index: number) => {
      const webhook = receiver.received[index]!;
      return () => new Webhook(secret).verify(webhook.body, readHeaders(webhook));
    };
    for (const secret of [endpoint.secret, rotated!.secret]) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(verify(secret, 0)).not.toThrow();
    }
    expect(verify(endpoint.secret, 1)).toThrow('No matching signature found');
    expect(verify(rotated!.secret, 1)).not.toThrow();
  });

  test('that is answered 500, 500 and 200 has one ID and three timestamps', async () => {
    receiver.answer((response, count) => response.writeHead(count < 3 ? 500 : 200).end());
    start({ waitsMs: [1_100, 1_100] });
    const id = await queue();
    const tries = await waitForOutcome(id, 'delivered');
    const all = receiver.received.map(({ headers }) => headers);
    expect(all.map((headers) => headers['webhook-id'])).toEqual([id, id, id]);
    expect(new Set(all.map((headers) => headers['webhook-timestamp'])).size).toBe(3);
    const standard = new Webhook(endpoint.secret);
    for (const webhook of receiver.received) {
      expect(standard.verify(webhook.body, readHeaders(webhook))).toMatchObject({
        type: 'message.sent',
      });
    }
    expect(tries.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(counts).toEqual(['retry', 'retry', 'delivered']);
    expect(await readEndpoint()).toMatchObject({ failuresInRow: 0, failingSince: null });
  });

  test('fails after the last try, and keeps the start of each answer', async () => {
    const long = 'x'.repeat(5_000);
    receiver.answer((response) => response.writeHead(503).end(long));
    start({ waitsMs: [1, 1] });
    const tries = await waitForOutcome(await queue(), 'failed');
    expect(tries).toHaveLength(3);
    for (const entry of tries) {
      expect(entry).toMatchObject({
        ...{ status: 503, error: 'HTTP status 503.', answer: long.slice(0, 1_024) },
        ...{ at: expect.any(Number), ms: expect.any(Number) },
      });
    }
    expect(counts).toEqual(['retry', 'retry', 'failed']);
  });

  test('is not tried again after its end, however many tries are left', async () => {
    receiver.answer(500);
    const id = await queue();
    await alter(`UPDATE webhook_delivery SET ends_at = now() + interval '1 s' WHERE id = $1`, id);
    start({ waitsMs: [60_000, 60_000] });
    expect(await waitForOutcome(id, 'failed')).toHaveLength(1);
  });

  test('follows no redirect', async () => {
    receiver.answer((response) => response.writeHead(302, { location: receiver.url }).end());
    start({ waitsMs: [] });
    const [entry] = await waitForOutcome(await queue(), 'failed');
    expect(entry).toMatchObject({
      ...{ status: 302, error: 'HTTP status 302. Redirects are not followed.' },
    });
    expect(receiver.received).toHaveLength(1);
  });

  test('fails if there is no whole answer in time', async () => {
    receiver.answer((response, count) => {
      if (count === 2) response.writeHead(200).write('o');
    });
    start({ waitsMs: [1], timeoutMs: 300 });
    const tries = await waitForOutcome(await queue(), 'failed');
    expect(tries.map(({ status, error }) => [status, error])).toEqual([
      [undefined, expect.stringContaining('timed out after')],
      [undefined, expect.stringContaining('timed out after')],
    ]);
  });

  test.each([
    ['https://169.254.169.254/latest/meta-data/', 'must have a public address'],
    ['https://10.0.0.1/hooks', 'must have a public address'],
    ['https://[::1]/hooks', 'must have a public address'],
    // Resolves to loopback, although its name was accepted.
    ['https://localhost/hooks', 'must have a public address'],
    ['http://receiver.example/hooks', 'must use https'],
    ['https://receiver.example:8443/hooks', 'must use port 443'],
    ['https://user:pass@receiver.example/hooks', 'must not have a user name or password'],
  ])('never leaves for %s', async (url, problem) => {
    const { id } = await createEndpoint(database, tenant, { url });
    start({ waitsMs: [], allowedHosts: '' });
    const [entry] = await waitForOutcome(await queue(id), 'failed');
    expect(entry).toMatchObject({ error: `The URL ${problem}.` });
    expect(entry).not.toHaveProperty('status');
  });
});

describe('an endpoint', () => {
  test('that answers 410 is disabled with an audit entry, and its other webhooks wait', async () => {
    receiver.answer(410);
    const first = await queue();
    start({ waitsMs: [5, 5] });
    await waitForOutcome(first, 'failed');
    expect(await readEndpoint()).toMatchObject({
      disabledAt: expect.any(Date),
      disabledReason: 'gone',
    });
    const where = { accountId: tenant.accountId, action: 'webhook.disabled' };
    expect(await database.prisma.auditEntry.findMany({ where })).toMatchObject([
      { subject: endpoint.id, appId: tenant.appId, change: { reason: 'gone', by: 'Belfry' } },
    ]);
    const second = await queue();
    const live = await createEndpoint(database, tenant, { url: receiver.url });
    await waitForOutcome(await queue(live.id), 'failed');
    expect(await readDelivery(second)).toMatchObject({ outcome: 'waiting', tries: [] });
  });

  test('that is gone is disabled once, whatever its other running calls answer', async () => {
    const responses: ServerResponse[] = [];
    receiver.answer((response) => responses.push(response));
    for (let n = 0; n < 3; n += 1) await queue();
    start({ waitsMs: [60_000] });
    await eventually(() => expect(responses).toHaveLength(3));
    // Each result waits for the row of the endpoint, as it does when all arrive at once.
    await inTransaction(database.lookUps, async (client) => {
      await client.query('SELECT FROM webhook_endpoint WHERE id = $1 FOR UPDATE', [endpoint.id]);
      for (const [index, status] of [410, 410, 500].entries()) {
        responses[index]?.writeHead(status).end();
        await eventually(async () => expect(await countLockWaits()).toBe(index + 1));
      }
    });
    await eventually(async () =>
      expect(
        await database.prisma.webhookDelivery.count({
          where: { endpointId: endpoint.id, failures: 1 },
        }),
      ).toBe(3),
    );
    expect(await readEndpoint()).toMatchObject({ disabledReason: 'gone' });
    const where = { accountId: tenant.accountId, action: 'webhook.disabled' };
    expect(await database.prisma.auditEntry.count({ where })).toBe(1);
  });

  test('that failed for 5 days is disabled with the reason; one that failed less is not', async () => {
    receiver.answer(500);
    const young = await createEndpoint(database, tenant, { url: receiver.url });
    const age = `UPDATE webhook_endpoint SET failures_in_row = 1, failing_since = now() - $2::interval WHERE id = $1`;
    await database.delivery.query(age, [endpoint.id, '5 days 1 second']);
    await database.delivery.query(age, [young.id, '4 days 23 hours']);
    start({ waitsMs: [] });
    await waitForOutcome(await queue(), 'failed');
    await waitForOutcome(await queue(young.id), 'failed');
    expect(await readEndpoint()).toMatchObject({ disabledReason: 'failing' });
    expect(await readEndpoint(young.id)).toMatchObject({ disabledReason: null, failuresInRow: 2 });
  });

  test.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2_500).toUTCString()],
  ])(
    'that asks for a wait in %s with Retry-After gets no webhook before',
    async (_form, getWait) => {
      receiver.answer((response, count) => {
        if (count === 1) response.writeHead(429, { 'retry-after': getWait() }).end();
        else response.end();
      });
      start();
      const first = await queue();
      await eventually(async () => expect((await readEndpoint()).failuresInRow).toBe(1));
      // Neither the same webhook nor another one.
      await waitForOutcome(await queue(), 'delivered');
      await waitForOutcome(first, 'delivered');
      const [one, two] = receiver.received.map(({ at }) => at);
      expect(receiver.received).toHaveLength(3);
      expect(two! - one!).toBeGreaterThanOrEqual(1_000);
    },
  );

  test('that failed 5 times in a row is probed by one webhook at a time, until one succeeds', async () => {
    receiver.answer(500);
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push(await queue());
    start({ waitsMs: Array<number>(9).fill(60_000) });
    await eventually(async () =>
      expect((await readEndpoint()).failuresInRow).toBeGreaterThanOrEqual(5),
    );
    const waitForRecords = () =>
      eventually(async () =>
        expect((await readEndpoint()).failuresInRow).toBe(receiver.received.length),
      );
    await waitForRecords();
    const before = receiver.received.length;
    // At most those that began before the fifth failure.
    expect(before).toBeLessThanOrEqual(5 + 8);
    const now = `UPDATE webhook_endpoint SET circuit_open_until = now() - interval '1 s' WHERE id = $1`;
    await alter(now, endpoint.id);
    await eventually(() => expect(receiver.received).toHaveLength(before + 1));
    await waitForRecords();
    receiver.answer(200);
    await alter(now, endpoint.id);
    await eventually(() => expect(receiver.received).toHaveLength(ids.length));
    await eventually(async () =>
      expect(await readEndpoint()).toMatchObject({ failuresInRow: 0, circuitOpenUntil: null }),
    );
  });

  test('that is slow does not delay another one', async () => {
    receiver.answer(() => undefined);
    for (let n = 0; n < 100; n += 1) await queue();
    const deadlines = start({ timeoutMs: 5_000 });
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(8));
    const other = await startReceiver();
    closers.push(other.close);
    const quick = await createEndpoint(database, tenant, { url: other.url });
    await waitForOutcome(await queue(quick.id), 'delivered');
    // One endpoint uses 8 of the 64 places, and its first calls are still open.
    expect(receiver.received).toHaveLength(8);
    deadlines.cut();
  });
});

describe('a worker', () => {
  test('that stopped in the middle of a try leaves it to another one, when the lease ends', async () => {
    const id = await queue();
    // As a killed process leaves it: claimed, and no result.
    await alter(
      `UPDATE webhook_delivery SET next_at = now() + interval '1500 ms' WHERE id = $1`,
      id,
    );
    const beganMs = Date.now();
    start();
    await waitForOutcome(id, 'delivered');
    expect(receiver.received[0]!.at - beganMs).toBeGreaterThan(1_000);
  });

  test('that is told to stop aborts its tries, and none counts as a failure', async () => {
    receiver.answer(() => undefined);
    const deadlines = start({ timeoutMs: 20_000 });
    const id = await queue();
    await eventually(() => expect(receiver.received).toHaveLength(1));
    deadlines.cut();
    await closers.pop()?.();
    expect(await readDelivery(id)).toMatchObject({ outcome: 'waiting', failures: 0, tries: [] });
    expect(await readEndpoint()).toMatchObject({ failuresInRow: 0 });
  });

  test('shares the deliveries with others: each is tried once', async () => {
    const ids = [];
    for (let n = 0; n < 200; n += 1) ids.push(await queue());
    start();
    start();
    start();
    for (const id of ids) await waitForOutcome(id, 'delivered');
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      ids.sort(),
    );
  });
});
