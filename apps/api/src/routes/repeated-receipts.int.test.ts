import { createHmac } from 'node:crypto';
import { Writable } from 'node:stream';
import { buildReceiptUrl, createLogger, newId } from '@belfry/runtime';
import { channelVersion, testSecrets } from '@belfry/testing';
import request from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

const authToken = 'a'.repeat(32);
const appSecret = 'b'.repeat(32);
const publicUrl = 'http://127.0.0.1';
const number = '+12025550123';
const replays = 50;
const atOnce = 10;

const lines: Record<string, unknown>[] = [];
let gateway: StoredGateway;

beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, callback) {
      lines.push(JSON.parse(String(chunk)));
      callback();
    },
  });
  gateway = await createStoredGateway({
    deps: { log: createLogger({ level: 'info', process: 'test', stream }) },
  });
});
afterAll(() => gateway.close());

type Provider = 'twilio' | 'meta';
type Report = { state: string; code?: number; at?: number };
type Sent = { messageId: string; integrationId: string };
type Call = { path: string; body: string; headers: Record<string, string> };

const integrations = {
  twilio: {
    channel: 'sms',
    provider: 'twilio',
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: authToken },
    settings: { sender: number },
  },
  meta: {
    channel: 'whatsapp',
    provider: 'meta',
    credentials: { app_secret: appSecret },
    settings: { sender: '1' },
  },
};

/** A message that the provider accepted. */
async function createSent(provider: Provider): Promise<Sent> {
  const { database, factories, tenant } = gateway;
  const { id: integrationId } = await factories.createIntegration(tenant, integrations[provider]);
  const event = await factories.createEvent(tenant, { sms: channelVersion({ text: 'Hi' }) });
  const { body } = await gateway.call({
    method: 'post',
    path: '/events/send',
    body: { event: event.name, user: { mobile: `+1202555${String(Math.random()).slice(2, 6)}` } },
  });
  const { message, attempt } = database.prisma;
  const { id } = await message.findFirstOrThrow({ where: { requestId: body.request_id } });
  await message.update({ where: { id }, data: { state: 'sent', attempts: 1, dueAt: null } });
  await attempt.create({ data: { messageId: id, number: 1, integrationId, outcome: 'accepted' } });
  return { messageId: id, integrationId };
}

const signCall = {
  twilio: ({ messageId, integrationId }: Sent, { state, code }: Report): Call => {
    const url = buildReceiptUrl({ publicUrl, secrets: testSecrets(), integrationId, messageId });
    const fields = {
      ErrorCode: String(code ?? ''),
      From: number,
      MessageSid: 'SM1',
      MessageStatus: state,
    };
    const text = url + Object.entries(fields).flat().join('');
    const signature = createHmac('sha1', authToken).update(text).digest('base64');
    return {
      path: url.slice(publicUrl.length),
      body: new URLSearchParams(fields).toString(),
      headers: { 'X-Twilio-Signature': signature },
    };
  },
  meta: ({ messageId, integrationId }: Sent, ...reports: Report[]): Call => {
    const url = buildReceiptUrl({ publicUrl, secrets: testSecrets(), integrationId });
    const statuses = reports.map(({ state, code, at = 1 }) => ({
      id: 'wamid.A',
      status: state,
      timestamp: String(at),
      biz_opaque_callback_data: messageId,
      ...(code && { errors: [{ code }] }),
    }));
    const value = { metadata: { phone_number_id: '1' }, statuses };
    const body = JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] });
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    const headers = { 'X-Hub-Signature-256': `sha256=${signature}` };
    return { path: url.slice(publicUrl.length), body, headers };
  },
};

async function post({ path, body, headers }: Call): Promise<number> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return (
    await request(gateway.server)
      .post(path)
      .set({ ...type, ...headers })
      .send(body)
  ).status;
}

const readReceipts = (messageId: string) =>
  gateway.database.prisma.receipt.findMany({ where: { messageId } });
const readMessage = (id: string) =>
  gateway.database.prisma.message.findUniqueOrThrow({ where: { id } });
const readLines = (messageId: string) =>
  lines.filter((line) => line['message'] === 'receipt.stored' && line['message_id'] === messageId);

describe.each(['twilio', 'meta'] as const)('a signed receipt of %s', (provider) => {
  test(`that arrives ${replays} times, ${atOnce} at once, is stored and logged once and moves its message once`, async () => {
    const sent = await createSent(provider);
    const call = signCall[provider](sent, { state: 'delivered' });
    const statuses: number[] = [];
    for (let sentCount = 0; sentCount < replays; sentCount += atOnce) {
      const together = Array.from({ length: atOnce }, () => post(call));
      statuses.push(...(await Promise.all(together)));
    }
    expect(statuses).toEqual(Array.from({ length: replays }, () => 200));
    expect(await readReceipts(sent.messageId)).toHaveLength(1);
    expect(readLines(sent.messageId)).toMatchObject([{ state: 'delivered' }]);
    expect((await readMessage(sent.messageId)).state).toBe('delivered');
  });

  test('is stored in addition to another one of the same message', async () => {
    const sent = await createSent(provider);
    for (const state of ['delivered', 'read', 'delivered']) {
      await post(signCall[provider](sent, { state }));
    }
    expect((await readReceipts(sent.messageId)).map(({ state }) => state).sort()).toEqual([
      'delivered',
      'read',
    ]);
  });

  test('suppresses an address once, and a replay does not undo later changes by an operator', async () => {
    const sent = await createSent(provider);
    const code = provider === 'twilio' ? 21610 : 131_050;
    const call = signCall[provider](sent, { state: 'failed', code });
    const { target } = await readMessage(sent.messageId);
    const { suppression } = gateway.database.prisma;
    const own = { where: { appId: gateway.tenant.appId, recipient: target } };
    await post(call);
    expect(await suppression.count(own)).toBe(1);
    await suppression.deleteMany(own);
    expect(await post(call)).toBe(200);
    expect(await suppression.count(own)).toBe(0);
  });

  test('about an unknown message is stored once', async () => {
    const { integrationId } = await createSent(provider);
    const call = signCall[provider]({ messageId: newId(), integrationId }, { state: 'delivered' });
    await Promise.all([post(call), post(call), post(call)]);
    const own = { where: { integrationId } };
    expect(await gateway.database.prisma.receipt.count(own)).toBe(1);
  });
});

test('a replay of Twilio’s fields in another order, which has the same signature, is not a new receipt', async () => {
  const sent = await createSent('twilio');
  const call = signCall.twilio(sent, { state: 'delivered' });
  await post(call);
  const fields = [...new URLSearchParams(call.body)].reverse();
  expect(await post({ ...call, body: new URLSearchParams(fields).toString() })).toBe(200);
  expect(await readReceipts(sent.messageId)).toHaveLength(1);
});

test('a status that Meta repeats together with a new one is stored once, and so is the new one', async () => {
  const sent = await createSent('meta');
  const [first, second] = [
    { state: 'delivered', at: 1 },
    { state: 'read', at: 2 },
  ];
  await post(signCall.meta(sent, first, first));
  await post(signCall.meta(sent, first, second));
  expect(await readReceipts(sent.messageId)).toHaveLength(2);
  expect((await readMessage(sent.messageId)).state).toBe('read');
});

test('a push status that an app reports again is stored once', async () => {
  const { factories, tenant, database } = gateway;
  const event = await factories.createEvent(tenant, { push: channelVersion({ title: 'T' }) });
  const { body } = await gateway.call({
    method: 'post',
    path: '/events/send',
    body: { event: event.name, user: { fcm_tokens: [newId()] } },
  });
  const { id } = await database.prisma.message.findFirstOrThrow({
    where: { requestId: body.request_id },
  });
  await database.prisma.message.update({ where: { id }, data: { state: 'sent', attempts: 1 } });
  const report = { notification_id: id, type: 'DELIVERED', timestamp: 1767225600000 };
  for (const current_timestamp of [1, 2, 3]) {
    const again = { ...report, current_timestamp };
    const answer = await gateway.call({ method: 'post', path: '/push/status', body: again });
    expect(answer.status).toBe(200);
  }
  expect(await readReceipts(id)).toHaveLength(1);
});
