import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  ownDatabase,
  type Tenant,
} from '@belfry/testing';
import type { ItemPlan } from '../accept/item-plan';
import { writeRequests } from '../accept/write';
import type { NewRequest } from '../accept/write.sql';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor } from '../message-row.fixture';
import { findUnplannedRequest, writePlans } from '../relay/fan-out.sql';
import { completeRequests } from './complete-requests.sql';
import { createEndpoint, readDeliveries } from './endpoint.fixture';
import { listDeliveries } from './read-deliveries';

let store: Awaited<ReturnType<typeof ownDatabase>>;
let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };
let endpointId: string;

beforeAll(async () => {
  store = await ownDatabase();
  database = openDatabase({ url: store.url, poolSize: 4 });
});

beforeEach(async () => {
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  const channels = { email: channelVersion({ subject: 'x' }), sms: channelVersion({ text: 'x' }) };
  event = await factories.createEvent(tenant, channels, { name: 'order_shipped' });
  endpointId = (await createEndpoint(database, tenant, { types: ['request.completed'] })).id;
  await database.delivery.query('DELETE FROM webhook_completion');
});

afterAll(async () => {
  await database.close();
  await store.drop();
});

function createBulk(items = 2): NewRequest {
  const none = { data: undefined, override: undefined, locale: undefined, scheduleAt: undefined };
  return {
    request: {
      ...{ id: newId(), accountId: tenant.accountId, appId: tenant.appId, ...event, kind: 'bulk' },
      ...{ apiKeyId: undefined, idempotencyKey: undefined },
    },
    key: undefined,
    items: Array.from({ length: items }, () => {
      return { ...none, recipient: '{"email":"ana@example.com"}', plan: undefined };
    }),
  };
}

async function accept(items?: number): Promise<string> {
  const call = createBulk(items);
  await writeRequests(database.accepting, [call]);
  return call.request.id;
}

/** Plans an e-mail for each item, and skips the other channel. */
async function plan(requestId: string): Promise<string[]> {
  const request = await findUnplannedRequest(database.delivery, requestId);
  const ids = Array.from({ length: request?.items ?? 0 }, () => newId());
  const items = ids.map((id, item) => {
    const message = { id, channel: 'email', target: `${item}@example.com`, timeToLiveMs: 60_000 };
    const none = { integrationId: undefined, dueAt: undefined, jobId: undefined, note: undefined };
    const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
    const itemPlan: ItemPlan = { messages: [{ ...message, ...none }], skips, locale: undefined };
    return { item, locale: undefined, plan: itemPlan };
  });
  await writePlans(database.hot, request!, { from: 0, to: ids.length, items });
  return ids;
}

async function settle(id: string): Promise<void> {
  await claimMessageRow({ database }, id);
  await recordResults(database.hot, [resultFor(id, {})]);
}

async function check(): Promise<string[]> {
  // Rounded to milliseconds, now() may be in the future for the next statement.
  await database.delivery.query(`UPDATE webhook_completion SET check_at = now() - interval '1 s'`);
  await completeRequests(database.delivery);
  return (await readDeliveries(database, endpointId)).map(({ type }) => type);
}

const countWatched = () => database.prisma.webhookCompletion.count();

test('a bulk is complete when all items are planned and no message waits, and is reported once', async () => {
  const requestId = await accept();
  expect(await check()).toEqual([]);
  const [first = '', second = ''] = await plan(requestId);
  await settle(first);
  expect(await check()).toEqual([]);
  await settle(second);
  expect(await check()).toEqual(['request.completed']);
  expect(await check()).toEqual(['request.completed']);
  expect(await countWatched()).toBe(0);
  const page = { appId: tenant.appId, endpointId, limit: 9 };
  const [delivery] = await listDeliveries(database.lookUps, page);
  expect(delivery?.event.data).toEqual({
    ...{ app_id: tenant.appId, request_id: requestId, event: 'order_shipped', items: 2 },
    counts: {
      ...{ total: 4, waiting: 0, sent: 2, delivered: 0, read: 0, failed: 0, unknown: 0 },
      ...{ skipped: 2, skipped_by_reason: { no_address: 2 } },
    },
  });
});

test('a bulk that is not complete is checked less and less often', async () => {
  const requestId = await accept();
  const readWait = async () => {
    const { rows } = await database.delivery.query<{ seconds: number }>(
      'SELECT extract(epoch FROM check_at - now())::float8 AS seconds FROM webhook_completion WHERE request_id = $1',
      [requestId],
    );
    return rows[0]?.seconds ?? 0;
  };
  for (const [age, least, most] of [
    ['1 second', 0.5, 1.1],
    ['100 seconds', 9, 11],
    ['10 days', 590, 601],
  ] as const) {
    const text = `UPDATE webhook_completion SET created_at = now() - $1::interval, check_at = now() - interval '1 s'`;
    await database.delivery.query(text, [age]);
    await completeRequests(database.delivery);
    const seconds = await readWait();
    expect(seconds).toBeGreaterThan(least);
    expect(seconds).toBeLessThan(most);
  }
});

test('nothing is watched for an app whose endpoints do not want the type, or for single sends', async () => {
  const single = createBulk(1);
  const call = { ...single, request: { ...single.request, kind: 'single' as const } };
  await writeRequests(database.accepting, [call]);
  await database.delivery.query(`UPDATE webhook_endpoint SET types = '{message.sent}'`);
  await accept();
  expect(await countWatched()).toBe(0);
});

test('a bulk that retention deleted is forgotten', async () => {
  const requestId = await accept();
  await database.prisma.requestItem.deleteMany({ where: { requestId } });
  await database.prisma.request.delete({ where: { id: requestId } });
  expect(await check()).toEqual([]);
  expect(await countWatched()).toBe(0);
});
