import { createSystemActor, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { createValidator, webhookEvent } from '@belfry/shared';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { eraseUser } from '../operate/erase';
import { createEndpoint, readDeliveries } from './endpoint.fixture';
import {
  type DeliveryPage,
  listDeliveries,
  queueExample,
  resendDelivery,
  resendFailedDeliveries,
} from './read-deliveries';
import { endOldDeliveries, removeOldDeliveries } from './upkeep.sql';

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };
let endpointId: string;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
});

beforeEach(async () => {
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  const channels = { email: channelVersion({ subject: 'x' }) };
  event = await factories.createEvent(tenant, channels, { name: 'order_shipped' });
  endpointId = (await createEndpoint(database, tenant)).id;
});

afterAll(() => database.close());

const actor = () => ({ ...createSystemActor(tenant.accountId), appId: tenant.appId });
const list = (page: Partial<DeliveryPage> = {}) =>
  listDeliveries(database.lookUps, { appId: tenant.appId, endpointId, limit: 50, ...page });

async function sendMessage(recipient = { user_id: 'ana', email: 'ana@example.com' }) {
  const id = await writeMessageRow(
    { database, tenant, event },
    { recipient, metadata: { order: 'A-1' } },
  );
  await claimMessageRow({ database }, id);
  await recordResults(database.hot, [resultFor(id, {})]);
  return id;
}

const queue = () =>
  queueExample(database.lookUps, actor(), { endpointId, type: 'device.disabled' });

async function settle(id: string, outcome: 'delivered' | 'failed', age = '0 s'): Promise<void> {
  await database.delivery.query(
    `UPDATE webhook_delivery SET outcome = $2, next_at = NULL, failures = 3, occurred_at = now() - $3::interval,
       ends_at = ends_at - $3::interval WHERE id = $1`,
    [id, outcome, age],
  );
}

describe('the body of a delivery', () => {
  test('is built from the rows of its message, with the address masked, and matches its schema', async () => {
    const messageId = await sendMessage();
    const { requestId } = await database.prisma.message.findUniqueOrThrow({
      where: { id: messageId },
    });
    const [delivery] = await list();
    expect(delivery?.event).toEqual({
      type: 'message.sent',
      timestamp: delivery?.occurredAt.toISOString(),
      data: {
        ...{ app_id: tenant.appId, request_id: requestId, item: 0, message_id: messageId },
        ...{ event: 'order_shipped', user_id: 'ana', channel: 'email', target: 'a***@example.com' },
        ...{ state: 'sent', attempts: 1, possible_duplicate: false, generation: 0 },
        metadata: { order: 'A-1' },
      },
    });
    expect(() => createValidator(webhookEvent)(delivery?.event)).not.toThrow();
  });

  test('keeps its first state after the message moved on', async () => {
    const messageId = await sendMessage();
    await database.delivery.query(`UPDATE message SET state = 'read', attempts = 9 WHERE id = $1`, [
      messageId,
    ]);
    const events = (await list()).map(({ event: { data } }) => data);
    expect(events).toMatchObject([
      { state: 'read', attempts: 9 },
      { state: 'sent', attempts: 1 },
    ]);
  });

  test('has no person any more after the erasure, and only IDs after retention', async () => {
    const sid = newId();
    const { appId } = tenant;
    const contact = { email: 'ana@example.com' };
    await database.prisma.user.create({ data: { id: sid, appId, userId: 'ana', contact } });
    const messageId = await sendMessage();
    const addresses = ['ana@example.com', 'ana'];
    await eraseUser(database.lookUps, actor(), { appId, userSid: sid, addresses });
    const [erased] = await list();
    expect(erased?.event.data).toMatchObject({ message_id: messageId, event: 'order_shipped' });
    expect(JSON.stringify(erased)).not.toMatch(/ana|a\*\*\*|A-1/);
    const { requestId } = await database.prisma.message.findUniqueOrThrow({
      where: { id: messageId },
    });
    await database.delivery.query('DELETE FROM attempt WHERE message_id = $1', [messageId]);
    for (const table of ['message', 'request_item']) {
      await database.delivery.query(`DELETE FROM ${table} WHERE request_id = $1`, [requestId]);
    }
    await database.delivery.query('DELETE FROM request WHERE id = $1', [requestId]);
    const [removed] = await list();
    expect(removed?.event.data).toMatchObject({ message_id: messageId, state: 'sent' });
    expect(removed?.event.data).not.toHaveProperty('event');
  });
});

describe('the list of deliveries', () => {
  test('has pages, newest first, and can be filtered by outcome', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await queue()).id);
    await settle(ids[1]!, 'delivered');
    await settle(ids[3]!, 'failed');
    expect((await list()).map(({ id }) => id)).toEqual(ids);
    const first = await list({ limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await list({ limit: 2, before: first[1]!.id });
    expect(second.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    expect((await list({ outcome: 'failed' })).map(({ id }) => id)).toEqual([ids[3]]);
    expect((await list({ outcome: 'waiting' })).map(({ id }) => id)).toEqual([
      ...[ids[0], ids[2], ids[4]],
    ]);
  });

  test('has none of another app, even with its endpoint’s ID', async () => {
    await queue();
    expect(await list({ appId: newId() })).toEqual([]);
  });
});

describe('resending', () => {
  test('starts the schedule of one delivery again, with the same ID and an audit entry', async () => {
    const { id } = await queue();
    await settle(id, 'failed', '80 hours');
    const resent = await resendDelivery(database.lookUps, actor(), { endpointId, id });
    expect(resent).toMatchObject({ id, outcome: 'waiting', nextAt: expect.any(Date) });
    const row = await database.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ failures: 0, outcome: 'waiting' });
    expect(row.endsAt.getTime()).toBeGreaterThan(Date.now() + 71 * 3_600_000);
    const where = { accountId: tenant.accountId, action: 'webhook.resent' };
    expect(await database.prisma.auditEntry.findMany({ where })).toMatchObject([
      { subject: endpointId, change: { id } },
    ]);
  });

  test('needs the app and the endpoint of the delivery', async () => {
    const { id } = await queue();
    const [other, stranger] = [newId(), { ...actor(), appId: newId() }];
    const { lookUps } = database;
    expect(await resendDelivery(lookUps, stranger, { endpointId, id })).toBeUndefined();
    expect(await resendDelivery(lookUps, actor(), { endpointId: other, id })).toBeUndefined();
    expect(
      await resendFailedDeliveries(lookUps, stranger, { endpointId, since: new Date(0) }),
    ).toBe(0);
  });

  test('takes the failed deliveries since a time, and no others', async () => {
    const ids = [(await queue()).id, (await queue()).id, (await queue()).id, (await queue()).id];
    await settle(ids[0]!, 'failed', '2 hours');
    await settle(ids[1]!, 'failed', '30 minutes');
    await settle(ids[2]!, 'delivered', '30 minutes');
    const since = new Date(Date.now() - 3_600_000);
    expect(await resendFailedDeliveries(database.lookUps, actor(), { endpointId, since })).toBe(1);
    const rows = await readDeliveries(database, endpointId);
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      ...['failed', 'waiting', 'delivered', 'waiting'],
    ]);
  });
});

describe('upkeep', () => {
  test('fails deliveries that still wait at their end', async () => {
    const ended = (await queue()).id;
    const waiting = (await queue()).id;
    await database.delivery.query(
      `UPDATE webhook_delivery SET ends_at = now() - interval '1 s' WHERE id = $1`,
      [ended],
    );
    await endOldDeliveries(database.delivery, 1_000);
    const rows = await readDeliveries(database, endpointId);
    expect(rows.map(({ id, outcome, nextAt }) => [id, outcome, nextAt === null])).toEqual([
      [ended, 'failed', true],
      [waiting, 'waiting', false],
    ]);
  });

  test('removes deliveries 7 days after their event, but none that waits after a resend', async () => {
    const ids = [(await queue()).id, (await queue()).id, (await queue()).id];
    await settle(ids[0]!, 'delivered', '7 days 1 second');
    await settle(ids[1]!, 'failed', '6 days 23 hours');
    await settle(ids[2]!, 'failed', '8 days');
    await resendDelivery(database.lookUps, actor(), { endpointId, id: ids[2]! });
    await removeOldDeliveries(database.delivery, 100_000);
    const rows = await readDeliveries(database, endpointId);
    expect(rows.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
  });
});
