import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
afterAll(() => gateway.close());

type State = 'queued' | 'sending' | 'sent' | 'unknown' | 'failed' | 'delivered' | 'read';

/** Creates a message with one attempt in this state and returns its ID. */
async function createMessage(
  tenant: Tenant,
  { channel = 'push', state = 'sent' as State, attempts = 1 } = {},
): Promise<string> {
  const address = channel === 'push' ? { fcm_tokens: [newId()] } : { email: 'a@example.com' };
  const user = channel === 'onesignal' ? { onesignal_external_id: newId() } : address;
  const version = {
    push: channelVersion({ title: 'T' }),
    onesignal: channelVersion({ title: 'T' }),
  };
  const { name } = await gateway.factories.createEvent(tenant, {
    ...version,
    email: channelVersion({ subject: 'S', text: 'T' }),
  });
  const { body } = await gateway.call({
    method: 'post',
    app: tenant.appId,
    apiKey: tenant.apiKey,
    path: '/events/send',
    body: { event: name, user },
  });
  const { message } = gateway.database.prisma;
  const { id } = await message.findFirstOrThrow({ where: { requestId: body.request_id, channel } });
  await message.update({ where: { id }, data: { state, attempts } });
  return id;
}

type Report = { tenant?: Tenant; key?: string };

function report(body: object, { tenant = gateway.tenant, key }: Report = {}) {
  return gateway.call({
    method: 'post',
    app: tenant.appId,
    apiKey: tenant.apiKey,
    path: '/push/status',
    body,
    ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
  });
}

const readState = async (id: string) =>
  (await gateway.database.prisma.message.findUniqueOrThrow({ where: { id } })).state;
const listReceipts = (messageId: string) =>
  gateway.database.prisma.receipt.findMany({
    where: { messageId },
    orderBy: { receivedAt: 'asc' },
  });

describe('POST /v1/apps/:app_id/push/status', () => {
  test.each([
    ['DELIVERED', 'delivered'],
    ['DISMISSED', 'delivered'],
    ['CLICKED', 'read'],
  ])('%s sets the message to %s and is stored as its receipt', async (type, state) => {
    for (const channel of ['push', 'onesignal']) {
      const id = await createMessage(gateway.tenant, { channel });
      const times = { timestamp: 1767225600000000, current_timestamp: 1767225600250 };
      const { status, body } = await report({ notification_id: id, type, ...times });
      expect([status, body]).toEqual([200, { success: true }]);
      expect(await readState(id)).toBe(state);
      expect(await listReceipts(id)).toMatchObject([
        {
          state,
          integrationId: null,
          appId: gateway.tenant.appId,
          detail: `The app reported ${type}.`,
        },
      ]);
    }
  });

  test('only moves a message forward, whatever the order of reports', async () => {
    const id = await createMessage(gateway.tenant);
    for (const type of ['CLICKED', 'DELIVERED', 'DISMISSED']) {
      await report({ notification_id: id, type });
    }
    expect(await readState(id)).toBe('read');
    expect(await listReceipts(id)).toHaveLength(3);
  });

  test('settles a message in the state unknown', async () => {
    const id = await createMessage(gateway.tenant, { state: 'unknown' });
    await report({ notification_id: id, type: 'DELIVERED' });
    expect(await readState(id)).toBe('delivered');
  });

  test.each([
    [
      'a message without an attempt',
      () => createMessage(gateway.tenant, { state: 'queued', attempts: 0 }),
    ],
    ['a message of another channel', () => createMessage(gateway.tenant, { channel: 'email' })],
    [
      'a message of another account',
      async () => createMessage(await gateway.factories.createTenant()),
    ],
  ])('changes nothing for %s, and responds as usual', async (_title, create) => {
    const id = await create();
    const before = await readState(id);
    const { status, body } = await report({ notification_id: id, type: 'CLICKED' });
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await readState(id)).toBe(before);
    expect(await listReceipts(id)).toEqual([]);
  });

  test('accepts an unknown notification, because an app would repeat the report forever', async () => {
    for (const notification_id of [newId(), 'not a uuid', '0'.repeat(255)]) {
      expect((await report({ notification_id, type: 'DELIVERED' })).status).toBe(200);
    }
  });

  test('runs once for an Idempotency-Key and replays the response', async () => {
    const [id, key] = [await createMessage(gateway.tenant), newId()];
    const body = { notification_id: id, type: 'DELIVERED' };
    const [first, second] = [await report(body, { key }), await report(body, { key })];
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await listReceipts(id)).toHaveLength(1);
    const mismatch = await report({ ...body, type: 'CLICKED' }, { key });
    expect([mismatch.status, mismatch.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test.each<[object, number, string]>([
    [{ type: 'CLICKED' }, 422, 'notification_id must not be blank'],
    [{ notification_id: ' ', type: 'CLICKED' }, 422, 'notification_id must not be blank'],
    [{ notification_id: null, type: 'CLICKED' }, 422, 'notification_id must not be blank'],
    [{ notification_id: 7, type: 'CLICKED' }, 400, 'notification_id must be a string'],
    [{ notification_id: 'x' }, 422, 'type must be one of DELIVERED, CLICKED, DISMISSED'],
    [
      { notification_id: 'x', type: 'SEEN' },
      422,
      'type must be one of DELIVERED, CLICKED, DISMISSED',
    ],
    [
      { notification_id: 'x'.repeat(256), type: 'CLICKED' },
      422,
      'notification_id must be at most 255 characters',
    ],
    [
      { notification_id: 'x', type: 'CLICKED', timestamp: 1.5 },
      400,
      'timestamp must be a string or a whole number',
    ],
  ])('refuses %j', async (body, status, error) => {
    const answer = await report(body);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
