import {
  createSuppressions,
  createSystemActor,
  type Database,
  inTransaction,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { writeRequests } from '../accept/write';
import type { NewRequest } from '../accept/write.sql';
import { applyContactUpdates } from '../deliver/contact-updates.sql';
import { type AttemptResult, recordResults } from '../deliver/record.sql';
import { requeueMessages } from '../deliver/requeue.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { createCancelMessages } from '../operate/cancel-messages';
import { eraseUser } from '../operate/erase';
import { createInbox } from '../operate/inbox';
import { cancelMessage } from '../operate/message-changes.sql';
import { type NewReceipt, writeReceipts } from '../operate/receipts';
import { resendMessage } from '../operate/resend';
import { findUnplannedRequest, writePlans } from '../relay/fan-out.sql';
import { expireWaiting } from '../relay/relay.sql';
import { createEndpoint, readDeliveries } from './endpoint.fixture';

jest.setTimeout(30_000);

type Event = { eventId: string; versionId: string };

let database: Database;
let factories: Factories;
let tenant: Tenant;
let event: Event;
let endpointId: string;
let actor: ReturnType<typeof createSystemActor>;

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  factories = createFactories(database);
});

beforeEach(async () => {
  tenant = await factories.createTenant();
  actor = createSystemActor(tenant.accountId);
  event = await factories.createEvent(tenant, {
    email: channelVersion({ subject: 'x' }),
    in_app: channelVersion({ title: 'x', body: 'x' }),
    sms: channelVersion({ text: 'x' }),
  });
  endpointId = (await createEndpoint(database, tenant)).id;
});

afterAll(() => database.close());

const write = (options: Parameters<typeof writeMessageRow>[1] = {}) =>
  writeMessageRow({ database, tenant, event }, options);
const record = (id: string, result: Partial<AttemptResult>) =>
  recordResults(database.hot, [resultFor(id, result)]);
const alter = (text: string, id: string) => database.delivery.query(text, [id]);

async function sendMessage(options?: Parameters<typeof write>[0]): Promise<string> {
  const id = await write(options);
  await claimMessageRow({ database }, id);
  await record(id, {});
  return id;
}

async function report(messageId: string, states: readonly NewReceipt['state'][]): Promise<void> {
  const none = { providerMessageId: undefined, reason: undefined, errorCode: undefined };
  for (const state of states) {
    const attempt = await database.prisma.attempt.findFirstOrThrow({ where: { messageId } });
    const integrationId = attempt.integrationId ?? undefined;
    const base = { appId: tenant.appId, integrationId, messageId, ...none, detail: undefined };
    await writeReceipts(database.accepting, [{ ...base, state, body: '{}', identity: newId() }]);
  }
}

async function cancelByKey(cancelKey: string): Promise<void> {
  const cancel = createCancelMessages({ pool: database.accepting, write: (work) => work() });
  const none = { requestId: undefined, userIds: undefined, after: undefined };
  await cancel({ ...none, appId: tenant.appId, cancelKey });
}

const listTypes = async (id = endpointId) =>
  (await readDeliveries(database, id)).map(({ type }) => type.replace('message.', ''));

describe('each new state of a message queues exactly one webhook, and none for `queued` and `sending`', () => {
  const integrationId = newId();

  test.each<[string, () => Promise<unknown>, string[]]>([
    ['accepted by a caller', () => write(), []],
    ['claimed', async () => claimMessageRow({ database }, await write()), []],
    [
      'requeued without an attempt',
      async () =>
        requeueMessages(database.delivery, [{ id: await write(), waitMs: 9, why: 'limit' }]),
      [],
    ],
    [
      'its claim undone',
      async () => {
        const id = await write();
        await claimMessageRow({ database }, id);
        await record(id, { next: { state: 'queued', dueAfterMs: 1, isUnclaimed: true } });
      },
      [],
    ],
    [
      'retried, then sent',
      async () => {
        const id = await write();
        await claimMessageRow({ database }, id);
        await record(id, { outcome: 'retry', next: { state: 'queued', dueAfterMs: -1 } });
        await claimMessageRow({ database }, id);
        await record(id, { attempt: 2 });
        // The same result again, as after a lost answer of PostgreSQL.
        await record(id, { attempt: 2 });
      },
      ['sent'],
    ],
    [
      'sent, delivered and read, each reported twice',
      async () =>
        report(await sendMessage({ integrationId }), [
          ...(['sent', 'delivered', 'delivered', 'read', 'read', 'delivered'] as const),
        ]),
      ['sent', 'delivered', 'read'],
    ],
    [
      'failed after it was sent',
      async () => report(await sendMessage({ integrationId }), ['failed', 'failed']),
      ['sent', 'failed'],
    ],
    [
      'unknown, then sent by a late result',
      async () => {
        const id = await write();
        await claimMessageRow({ database }, id);
        const reason = 'lease_expired';
        await record(id, { outcome: 'unknown', reason, next: { state: 'unknown' } });
        await record(id, {});
      },
      ['unknown', 'sent'],
    ],
    [
      'expired before its claim',
      async () => {
        const id = await write();
        await alter(`UPDATE message SET expires_at = now() - interval '1 s' WHERE id = $1`, id);
        await claimMessageRow({ database }, id);
      },
      ['failed'],
    ],
    [
      'expired while it waited',
      async () => {
        const id = await write();
        await alter(`UPDATE message SET expires_at = now() - interval '1 s' WHERE id = $1`, id);
        await expireWaiting(database.delivery, 1_000);
      },
      ['failed'],
    ],
    [
      'suppressed before its claim',
      async () => {
        const suppression = { channel: 'email', address: 'ana@example.com', detail: 'asked' };
        await createSuppressions(database.lookUps).add(actor, tenant.appId, suppression);
        await claimMessageRow({ database }, await write());
      },
      ['address.suppressed', 'skipped'],
    ],
    [
      'cancelled by an operator',
      async () =>
        cancelMessage(database.lookUps, actor, {
          appId: tenant.appId,
          messageId: await write(),
        }),
      ['skipped'],
    ],
    [
      'cancelled by the caller, twice',
      async () => {
        await write({ cancelKey: 'a' });
        await cancelByKey('a');
        await cancelByKey('a');
      },
      ['skipped'],
    ],
    [
      'read in the inbox',
      async () => {
        const [userId, messageId] = [
          'ana',
          await sendMessage({ channel: 'in_app', target: 'ana' }),
        ];
        const { appId } = tenant;
        const data = { id: newId(), appId, userId, messageId, content: {} };
        await database.prisma.inboxItem.create({ data });
        const inbox = createInbox({ pool: database.accepting, newId });
        await inbox.readAll({ appId, userId, messageId: undefined });
        await inbox.readAll({ appId, userId, messageId: undefined });
      },
      ['sent', 'read'],
    ],
    [
      'inserted in a final state',
      async () => {
        const id = await write();
        await alter(
          `INSERT INTO message (id, request_id, item, app_id, channel, target, generation, state, expires_at)
           SELECT gen_random_uuid(), request_id, item, app_id, channel, target, 1, 'failed', now() FROM message WHERE id = $1`,
          id,
        );
      },
      ['failed'],
    ],
  ])('%s', async (_how, act, expected) => {
    await act();
    expect(await listTypes()).toEqual(expected);
  });

  test('a resend has its own webhooks, with its generation', async () => {
    const first = await write();
    await claimMessageRow({ database }, first);
    await record(first, {
      outcome: 'rejected',
      next: { state: 'failed', reason: 'rejected_recipient' },
    });
    const input = { appId: tenant.appId, messageId: first, isConfirmed: true };
    const resent = await resendMessage(database.lookUps, actor, input);
    const id = resent.state === 'resent' ? resent.messageId : '';
    await claimMessageRow({ database }, id);
    await record(id, {});
    const deliveries = await readDeliveries(database, endpointId);
    expect(deliveries.map(({ messageId, data }) => ({ messageId, data }))).toMatchObject([
      {
        messageId: first,
        data: { state: 'failed', reason: 'rejected_recipient', generation: 0, attempts: 1 },
      },
      { messageId: id, data: { state: 'sent', generation: 1, resend_of: first } },
    ]);
  });
});

/** A request of two items without a plan, or of one item that skips two channels. */
function createCall(kind: 'single' | 'bulk'): NewRequest {
  const recipient = JSON.stringify({ user_id: 'ana', email: 'ana@example.com' });
  const item = { recipient, data: undefined, override: undefined, locale: undefined };
  const skips = {
    sms: { reason: 'no_address', detail: 'none' },
    push: { reason: 'invalid_address', detail: 'ana@example.com is no token' },
  } as const;
  const plan = { messages: [], skips, locale: undefined };
  const unplanned = { ...item, scheduleAt: undefined, plan: undefined };
  return {
    request: {
      ...{ id: newId(), accountId: tenant.accountId, appId: tenant.appId, ...event, kind },
      ...{ apiKeyId: undefined, idempotencyKey: undefined },
    },
    key: undefined,
    items: kind === 'bulk' ? [unplanned, unplanned] : [{ ...unplanned, plan }],
  };
}

const skippedData = (requestId: string, item: number, channel: string, reason: string) => {
  return { request_id: requestId, item, channel, state: 'skipped', reason };
};

describe('a channel that planning skips queues one webhook without a message', () => {
  /** Webhooks of one statement have no order, so these are sorted. */
  async function readData() {
    const deliveries = await readDeliveries(database, endpointId);
    const all = deliveries.map(({ type, messageId, data }) => {
      expect([type, messageId]).toEqual(['message.skipped', null]);
      return data as { item: number; channel: string };
    });
    return all.sort((a, b) => a.item - b.item || (a.channel < b.channel ? -1 : 1));
  }

  test('of a single send', async () => {
    const call = createCall('single');
    await writeRequests(database.accepting, [call]);
    expect(await readData()).toEqual([
      skippedData(call.request.id, 0, 'push', 'invalid_address'),
      skippedData(call.request.id, 0, 'sms', 'no_address'),
    ]);
  });

  test('of a bulk, when it is planned', async () => {
    const call = createCall('bulk');
    await writeRequests(database.accepting, [call]);
    expect(await readData()).toEqual([]);
    const request = await findUnplannedRequest(database.delivery, call.request.id);
    const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
    const items = [0, 1].map((item) => {
      return { item, locale: undefined, plan: { messages: [], skips, locale: undefined } };
    });
    for (const _twice of [1, 2]) {
      await writePlans(database.hot, request!, { from: 0, to: 2, items });
    }
    expect(await readData()).toEqual([
      skippedData(call.request.id, 0, 'sms', 'no_address'),
      skippedData(call.request.id, 1, 'sms', 'no_address'),
    ]);
  });

  test('of a bulk that the caller cancels before it is planned', async () => {
    const call = createCall('bulk');
    const items = call.items.map((item) => ({ ...item, cancelKey: 'a' }));
    await writeRequests(database.accepting, [{ ...call, items }]);
    await cancelByKey('a');
    const channels = ['email', 'in_app', 'sms'];
    const expected = [0, 1].flatMap((item) =>
      channels.map((channel) => skippedData(call.request.id, item, channel, 'cancelled')),
    );
    expect(await readData()).toEqual(expected);
  });

  test('of an erased user: its messages and unplanned items, once each', async () => {
    const sid = newId();
    const { appId } = tenant;
    const contact = { email: 'ana@example.com' };
    await database.prisma.user.create({ data: { id: sid, appId, userId: 'ana', contact } });
    await write({ recipient: { user_id: 'ana', email: 'ana@example.com' } });
    await writeRequests(database.accepting, [createCall('bulk')]);
    const erasure = { appId, userSid: sid, addresses: ['ana@example.com', 'ana'] };
    await eraseUser(database.lookUps, actor, erasure);
    const deliveries = await readDeliveries(database, endpointId);
    const skipped = deliveries.map(({ messageId, data }) => {
      const { channel, reason } = data as { channel: string; reason: string };
      return [messageId === null ? 'item' : 'message', channel, reason].join(' ');
    });
    expect(skipped.sort()).toEqual([
      ...['item email erased', 'item email erased', 'item in_app erased', 'item in_app erased'],
      ...['item sms erased', 'item sms erased', 'message email erased'],
    ]);
  });
});

describe('other events queue one webhook', () => {
  test('a device that the provider reports, and none if the client switches it off', async () => {
    const [sid, id] = [newId(), newId()];
    const { appId } = tenant;
    await database.prisma.user.create({ data: { id: sid, appId, userId: 'ana' } });
    const device = { id, appId, userSid: sid, fcmToken: `token-${id}` };
    await database.prisma.device.create({ data: device });
    const off = { notificationsDisabled: true };
    await database.prisma.device.update({ where: { id }, data: off });
    expect(await listTypes()).toEqual([]);
    const on = { notificationsDisabled: false };
    await database.prisma.device.update({ where: { id }, data: on });
    const messageId = await write({ channel: 'push', target: device.fcmToken });
    const change = { change: 'disable_device', reason: 'UNREGISTERED' } as const;
    const updates = [{ messageId, changes: [change] }];
    await applyContactUpdates(database.delivery, updates);
    await applyContactUpdates(database.delivery, updates);
    const deliveries = await readDeliveries(database, endpointId);
    expect(deliveries).toMatchObject([
      { type: 'device.disabled', data: { device_sid: id, reason: 'UNREGISTERED' } },
    ]);
  });

  test('a suppression, and none for an address that is suppressed already', async () => {
    const messageId = await write();
    const change = { change: 'suppress', reason: 'bounced', sender: '' } as const;
    const updates = [{ messageId, changes: [change, change] }];
    await applyContactUpdates(database.delivery, updates);
    const deliveries = await readDeliveries(database, endpointId);
    expect(deliveries).toMatchObject([
      { type: 'address.suppressed', data: { channel: 'email', reason: 'bounced' } },
    ]);
    expect(JSON.stringify(deliveries)).not.toContain('ana@example.com');
  });

  test('an integration that begins to need attention', async () => {
    const mail = { channel: 'email', provider: 'smtp' };
    const { id } = await factories.createIntegration(tenant, mail);
    const mark = `UPDATE integration SET state = 'needs_attention', state_reason = 'refused' WHERE id = $1`;
    await alter(mark, id);
    await alter(mark, id);
    const deliveries = await readDeliveries(database, endpointId);
    const data = { integration_id: id, channel: 'email', provider: 'smtp', reason: 'refused' };
    expect(deliveries).toMatchObject([{ type: 'integration.needs_attention', data }]);
  });
});

describe('no webhook is queued', () => {
  test('for an endpoint that does not want the type, is disabled, or belongs to another app', async () => {
    const other = await factories.createTenant();
    const ids = [
      (await createEndpoint(database, tenant, { types: ['message.failed'] })).id,
      (await createEndpoint(database, other)).id,
      (await createEndpoint(database, tenant)).id,
    ];
    await alter('UPDATE webhook_endpoint SET disabled_at = now() WHERE id = $1', ids[2] ?? '');
    await sendMessage();
    expect(await listTypes()).toEqual(['sent']);
    for (const id of ids) expect(await listTypes(id)).toEqual([]);
  });

  test('for an app without endpoints', async () => {
    const other = { ...tenant, appId: (await factories.createTenant()).appId };
    const id = await writeMessageRow({ database, tenant: other, event }, {});
    await claimMessageRow({ database }, id);
    await record(id, {});
    const { appId } = other;
    expect(await database.prisma.webhookDelivery.count({ where: { appId } })).toBe(0);
  });

  test('if the change is rolled back', async () => {
    const id = await write();
    const failing = inTransaction(database.delivery, async (client) => {
      await client.query(`UPDATE message SET state = 'failed' WHERE id = $1`, [id]);
      const { rows } = await client.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM webhook_delivery WHERE message_id = $1',
        [id],
      );
      expect(rows[0]?.count).toBe(1);
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await listTypes()).toEqual([]);
  });
});

test('many messages of one statement queue one webhook each, for each endpoint', async () => {
  const second = (await createEndpoint(database, tenant)).id;
  const ids = await Promise.all(Array.from({ length: 50 }, () => write()));
  for (const id of ids) await claimMessageRow({ database }, id);
  await recordResults(
    database.hot,
    ids.map((id) => resultFor(id, {})),
  );
  for (const endpoint of [endpointId, second]) {
    const deliveries = await readDeliveries(database, endpoint);
    expect(deliveries.map(({ messageId }) => messageId).sort()).toEqual([...ids].sort());
    const isVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/;
    expect(deliveries.every(({ id }) => isVersion7.test(id))).toBe(true);
  }
});
