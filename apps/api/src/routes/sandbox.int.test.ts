import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { writeCapture } from '@belfry/pipeline/deliver';
import { channelVersion, eventually, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { listSpellings } from './sandbox';

let gateway: StoredGateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
beforeEach(async () => {
  tenant = await gateway.factories.createTenant();
});
afterAll(() => gateway.close());

const to = 'ana@example.com';

/** A request with one message that no worker sends. */
async function send(channel = 'email', options = {}): Promise<Sent> {
  const { name: event } = await gateway.factories.createEvent(
    tenant,
    { email: channelVersion({ subject: 'Hi', text: 'Hi' }), sms: channelVersion({ text: 'Hi' }) },
    options,
  );
  const { appId: app, apiKey } = tenant;
  const body = { event, user: { email: to, mobile: '+12025550123' }, data: { name: 'Ana' } };
  const answer = await gateway.call({ method: 'post', path: '/events/send', body, app, apiKey });
  const requestId = String(answer.body.request_id);
  const message = await gateway.database.prisma.message.findFirstOrThrow({
    where: { requestId, channel },
  });
  return { event, requestId, messageId: message.id, channel, target: message.target };
}

type Sent = {
  event: string;
  requestId: string;
  messageId: string;
  channel: string;
  target: string;
};

/** Stores a capture as a worker does. */
async function capture({ messageId, channel, target }: Sent, attempt = 1): Promise<void> {
  await writeCapture(gateway.database.delivery, {
    appId: tenant.appId,
    messageId,
    attempt,
    channel,
    provider: 'smtp',
    target,
    content: { subject: 'Hi', text: 'Hello Ana', html: '<p>Hello Ana</p>' },
    request: { operation: 'SMTP', body: {} },
    outcome: 'accepted',
  });
}

function wait(query: Record<string, string>, as: Partial<Tenant> = {}) {
  const { appId: app, apiKey } = { ...tenant, ...as };
  return gateway.call({ method: 'get', path: '/sandbox/wait', app, apiKey }).query(query);
}

describe('GET /v1/apps/:app_id/sandbox/wait', () => {
  test('returns earlier captures at once, with everything that a test asserts on', async () => {
    const sent = await send();
    await capture(sent);
    const { status, body } = await wait({ channel: 'email', to, request_id: sent.requestId });
    expect(status).toBe(200);
    expect(body.messages).toEqual([
      {
        id: expect.any(String),
        request_id: sent.requestId,
        message_id: sent.messageId,
        event: sent.event,
        channel: 'email',
        to,
        subject: 'Hi',
        text: 'Hello Ana',
        html: '<p>Hello Ana</p>',
        content: { subject: 'Hi', text: 'Hello Ana', html: '<p>Hello Ana</p>' },
        data: { name: 'Ana' },
        provider: 'smtp',
        request: { operation: 'SMTP', body: {} },
        attempt: 1,
        outcome: 'accepted',
        captured_at: expect.any(Number),
      },
    ]);
  });

  test('returns captures that arrive while it waits', async () => {
    const sent = await send();
    const pendingWait = wait({ request_id: sent.requestId }).then((answer) => answer);
    await capture(sent);
    expect((await pendingWait).body.messages).toMatchObject([{ message_id: sent.messageId }]);
  });

  test('returns an empty list after the timeout, and returns the same captures again because reading removes nothing', async () => {
    expect((await wait({ timeout: '0' })).body).toMatchObject({ messages: [] });
    const sent = await send();
    await capture(sent);
    const first = (await wait({ timeout: '0' })).body;
    expect((await wait({ timeout: '0' })).body.messages).toEqual(first.messages);
  });

  test('returns only newer captures after the `next` of a response', async () => {
    const [old, fresh] = [await send(), await send()];
    await capture(old);
    const { next } = (await wait({ timeout: '0' })).body;
    const pendingWait = wait({ after: next }).then((answer) => answer);
    await capture(fresh);
    const { messages } = (await pendingWait).body;
    expect(messages).toMatchObject([{ message_id: fresh.messageId }]);
  });

  test('waits for the requested number, and returns fewer after the timeout', async () => {
    const sent = await send();
    await capture(sent);
    const pendingWait = wait({ request_id: sent.requestId, count: '2' }).then((answer) => answer);
    await capture(sent, 2);
    expect((await pendingWait).body.messages).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
    const { body } = await wait({ count: '3', timeout: '0' });
    expect(body.messages).toHaveLength(2);
  });

  test('hides the data of a sensitive event', async () => {
    const sent = await send('email', { isSensitive: true });
    await capture(sent);
    const [message] = (await wait({ timeout: '0' })).body.messages;
    expect(message).not.toHaveProperty('data');
  });

  test.each([
    [
      'channel',
      'fax',
      'channel must be one of email, slack, sms, whatsapp, telegram, push, onesignal, in_app',
    ],
    ['request_id', 'order-1', 'request_id must be the request_id of a send'],
    ['to', 'x'.repeat(4_097), 'to must be at most 4096 characters'],
    ['after', 'yesterday', 'after must be the `next` of an earlier response'],
    ['after', '7:3:', 'after must be the `next` of an earlier response'],
    ['count', '101', 'count must be a whole number from 1 to 100'],
    ['timeout', '31', 'timeout must be a whole number from 0 to 30'],
    ['timeout', '1.5', 'timeout must be a whole number from 0 to 30'],
  ])('refuses %s %j', async (name, value, error) => {
    const { status, body } = await wait({ [name]: value });
    expect([status, body]).toMatchObject([
      422,
      { code: 'validation_failed', error, errors: [error] },
    ]);
  });

  test('refuses a repeated parameter', async () => {
    const answer = await wait({ timeout: '1' }).query('timeout=2');
    expect([answer.status, answer.body.error]).toEqual([
      422,
      'timeout must appear only once in the query',
    ]);
  });

  test('finds no capture of another account by any parameter', async () => {
    const otherTenant = await gateway.factories.createTenant();
    const sent = await send();
    await capture(sent);
    for (const query of [{}, { to }, { request_id: sent.requestId }]) {
      const { body } = await wait({ timeout: '0', ...query }, otherTenant);
      expect(body.messages).toEqual([]);
    }
    const { apiKey } = otherTenant;
    expect((await wait({ timeout: '0' }, { apiKey })).body.code).toBe('app_not_found');
  });

  test('frees its slot when the caller disconnects, and allows 20 calls per account', async () => {
    const { port } = gateway.server.address() as AddressInfo;
    const headers = { Authorization: `AuthKey ${tenant.apiKey}` };
    const path = `/v1/apps/${tenant.appId}/sandbox/wait?timeout=30`;
    const waiting = Array.from({ length: 21 }, () => http.get({ port, path, headers }));
    for (const each of waiting) each.on('error', () => undefined);
    // 20 of them wait. Only the refused one gets a response.
    const response = await new Promise<http.IncomingMessage>((resolve) => {
      for (const each of waiting) each.once('response', resolve);
    });
    expect(response.statusCode).toBe(429);
    expect(await json(response)).toMatchObject({ code: 'rate_limited' });
    const otherTenant = await gateway.factories.createTenant();
    expect((await wait({ timeout: '0' }, otherTenant)).status).toBe(200);
    for (const each of waiting) each.destroy();
    await eventually(async () => expect((await wait({ timeout: '0' })).status).toBe(200));
  });

  test('ends with the captures so far when the process shuts down', async () => {
    const closing = await createStoredGateway({ deps: { isClosing: () => true } });
    try {
      const path = '/sandbox/wait?timeout=30';
      expect((await closing.call({ method: 'get', path })).body).toMatchObject({ messages: [] });
    } finally {
      await closing.close();
    }
  });
});

describe('the `to` parameter', () => {
  test.each([
    ['Ana@Example.com', 'ana@example.com'],
    ['sandbox ok@example.com', 'sandbox+ok@example.com'],
    [' 12025550123', '+12025550123'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['+49 (0)30 123456', '+4930123456'],
    [' 49 (0)30 123456', '+4930123456'],
    ['030 123456', '+4930123456'],
    ['C012345678', 'c012345678'],
    ['a user', 'a user'],
  ])('%j finds %s', (input, spelling) => {
    expect(listSpellings(input, 'DE')).toContain(spelling);
  });
});
