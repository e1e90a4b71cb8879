import { channelNames, channels } from '@belfry/channels';
import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

const batchSize = 1_000;
const itemOfSecondChunk = 700;
/** The first three channels of the registry. */
const names = channelNames.slice(0, 3);
const messageCount = names.length * batchSize;

let system: System;
let tenant: Tenant;

beforeAll(async () => {
  system = await startSystem({
    workers: [[...names.map((name) => `deliver-${name}`), 'relay'].join(',')],
    // Thousands of concurrent look-ups of one app would exceed the connection timeout.
    env: { LOOKUP_CACHE_MS: '5000' },
  });
  tenant = await system.factories.createTenant();
}, 60_000);

afterAll(() => system.stop(), 60_000);

/** Sends a batch through the gateway and returns its ID. */
async function sendBulk(): Promise<string> {
  const versions = names.map((name) => [name, channelVersion(buildTemplate(name))]);
  const event = await system.factories.createEvent(tenant, Object.fromEntries(versions));
  const batch = Array.from({ length: batchSize }, (_, index) => ({
    user: reachableUser(index),
    data: { index },
  }));
  const path = `/v1/apps/${tenant.appId}/events/bulk_send`;
  const response = await fetch(new URL(path, system.apiUrl), {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event: event.name, batch }),
  });
  const answer: unknown = await response.json();
  expect(answer).toMatchObject({ success: true, accepted: batchSize });
  // The assertion above checked it.
  return (answer as { request_id: string }).request_id;
}

/** The required template texts of a channel, and `text`. */
function buildTemplate(name: keyof typeof channels): Record<string, string> {
  const { properties, required = [] } = channels[name].template;
  const fields = Object.keys(properties).filter(
    (field) => field === 'text' || required.includes(field),
  );
  return Object.fromEntries(fields.map((field) => [field, 'Number {{index}}']));
}

/** Has a unique address on every channel. */
function reachableUser(index: number): object {
  const number = String(index).padStart(4, '0');
  const email = formatEmail(index);
  return {
    user_id: `b${number}`,
    email,
    mobile: `+1202555${number}`,
    slack: { email },
    telegram: { chat_id: `7${number}` },
    onesignal_external_id: `b${number}`,
    fcm_tokens: [`token-${number}`],
  };
}

const formatEmail = (index: number) => `b${String(index).padStart(4, '0')}@example.com`;

async function plannedTo(requestId: string): Promise<number> {
  const { prisma } = system.database;
  return (await prisma.request.findUniqueOrThrow({ where: { id: requestId } })).plannedTo;
}

/** Starts a fanout that blocks on the second chunk, and kills it there. */
async function killMidway(requestId: string): Promise<void> {
  // Uses the pool that lets a transaction be idle as long as a busy machine needs.
  const holder = await system.database.delivery.connect();
  try {
    await holder.query('BEGIN');
    // A row of the second chunk: the fanout's insert waits for this transaction.
    await holder.query(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, due_at, expires_at)
       VALUES ($1, $2, $3, $4, 'email', $5, now(), now() + interval '1 day')`,
      [newId(), requestId, itemOfSecondChunk, tenant.appId, formatEmail(itemOfSecondChunk)],
    );
    const fanOut = await system.startWorker('fanout');
    await eventually(async () => expect(await plannedTo(requestId)).toBe(500));
    await eventually(async () => {
      // Within a transaction PostgreSQL would repeat the first snapshot of the activity.
      const { rows } = await system.database.delivery.query<{ pid: number }>(waiting);
      expect(rows).toHaveLength(1);
    });
    await fanOut.stop('SIGKILL');
    // Otherwise PostgreSQL would still run its statement, which is not tested here.
    await system.database.delivery.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`);
    await holder.query('ROLLBACK');
  } finally {
    holder.release();
  }
}

const waiting = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe(`a bulk of 1,000 on ${names.join(', ')}`, () => {
  test('writes every message exactly once, also when fanout is killed between two chunks', async () => {
    const requestId = await sendBulk();
    await killMidway(requestId);
    expect(await plannedTo(requestId)).toBe(500);
    await system.startWorker('fanout');
    const { prisma } = system.database;
    await eventually(
      async () => {
        const sent = await prisma.message.count({ where: { requestId, state: 'sent' } });
        expect(sent).toBe(messageCount);
      },
      { timeoutMs: 60_000, intervalMs: 250 },
    );
    expect(await prisma.message.count({ where: { requestId } })).toBe(messageCount);
    expect(await prisma.attempt.count({ where: { message: { requestId } } })).toBe(messageCount);
    const captures = await prisma.capture.findMany({ where: { appId: tenant.appId } });
    expect(new Set(captures.map(({ channel, target }) => `${channel} ${target}`)).size).toBe(
      messageCount,
    );
    expect(captures).toHaveLength(messageCount);
  }, 120_000);
});
