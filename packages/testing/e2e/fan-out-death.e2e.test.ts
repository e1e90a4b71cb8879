import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

const batchSize = 1_000;
const itemOfSecondChunk = 700;

let system: System;
let tenant: Tenant;

beforeAll(async () => {
  system = await startSystem({ workers: ['deliver-email,deliver-slack,relay'] });
  tenant = await system.factories.createTenant();
}, 60_000);

afterAll(() => system.stop(), 60_000);

/** Sends a batch through the gateway; its id. */
async function sendBulk(): Promise<string> {
  const event = await system.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Number {{index}}', text: 'Number {{index}}' }),
    slack: channelVersion({ text: 'Number {{index}}' }),
  });
  const batch = Array.from({ length: batchSize }, (_, index) => ({
    user: { email: `b${index}@example.com`, slack: { email: `b${index}@example.com` } },
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
  // Every answer of the gateway has it, as was just seen.
  return (answer as { request_id: string }).request_id;
}

async function plannedItems(requestId: string): Promise<number> {
  const { prisma } = system.database;
  return (await prisma.request.findUniqueOrThrow({ where: { id: requestId } })).plannedItems;
}

/** Starts a fanout that cannot write the second chunk, and kills it there. */
async function killMidway(requestId: string): Promise<void> {
  const holder = await system.database.accepting.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(
      'SELECT 1 FROM request_item WHERE request_id = $1 AND item = $2 FOR UPDATE',
      [requestId, itemOfSecondChunk],
    );
    const fanOut = await system.startWorker('fanout');
    await eventually(async () => expect(await plannedItems(requestId)).toBe(500));
    await eventually(async () => {
      const { rows } = await holder.query<{ pid: number }>(waiting);
      expect(rows).toHaveLength(1);
    });
    await fanOut.stop('SIGKILL');
    // Its statement would otherwise still be carried out, which is not what is tried here.
    await holder.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`);
    await holder.query('ROLLBACK');
  } finally {
    holder.release();
  }
}

const waiting = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe('a bulk of 1,000 on two channels', () => {
  test('reaches each of them exactly once, also when fanout is killed between two chunks', async () => {
    const requestId = await sendBulk();
    await killMidway(requestId);
    expect(await plannedItems(requestId)).toBe(500);
    await system.startWorker('fanout');
    const { prisma } = system.database;
    await eventually(
      async () => {
        const sent = await prisma.message.count({ where: { requestId, state: 'sent' } });
        expect(sent).toBe(2 * batchSize);
      },
      { timeoutMs: 60_000, intervalMs: 250 },
    );
    expect(await prisma.message.count({ where: { requestId } })).toBe(2 * batchSize);
    expect(await prisma.attempt.count({ where: { message: { requestId } } })).toBe(2 * batchSize);
    const captures = await prisma.capture.findMany({ where: { appId: tenant.appId } });
    expect(new Set(captures.map(({ channel, target }) => `${channel} ${target}`)).size).toBe(
      2 * batchSize,
    );
    expect(captures).toHaveLength(2 * batchSize);
  }, 120_000);
});
