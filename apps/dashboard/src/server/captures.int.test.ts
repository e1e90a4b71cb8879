import { writeCapture } from '@belfry/pipeline/deliver';
import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import {
  createStoredDashboard,
  listOperatorEntries,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let operator: Neighbour;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});
beforeEach(async () => {
  operator = await dashboard.createNeighbour();
});
afterAll(() => dashboard.close());

type New = { channel?: string; target?: string; content?: unknown; attempt?: number };

async function capture(
  { channel = 'email', target = 'ana@example.com', content = {}, attempt = 1 }: New = {},
  messageId = newId(),
): Promise<string> {
  const call = { provider: 'smtp', request: { operation: 'SMTP', body: {} }, outcome: 'accepted' };
  const { appId } = operator.tenant;
  const captured = { appId, messageId, attempt, channel, target, content, ...call };
  await writeCapture(dashboard.database.delivery, captured);
  return messageId;
}

const captures = (suffix = '') => `apps/${operator.tenant.appId}/captures${suffix}`;

async function list(query: Record<string, string> = {}) {
  const { status, body } = await operator.call('get', captures(`?${new URLSearchParams(query)}`));
  expect(status).toBe(200);
  return body;
}

const messageIds = (body: { captures: { messageId: string }[] }) =>
  body.captures.map(({ messageId }) => messageId);

/** Sends an event with these channels; returns its messages by channel. */
async function send(options: { isSensitive?: boolean } = {}) {
  const channels = {
    email: channelVersion({ subject: 'Hi', html: '<p>Hi {{name}}</p>' }),
    sms: channelVersion({ text: 'Hi {{name}}' }),
  };
  const { name, eventId } = await dashboard.factories.createEvent(
    operator.tenant,
    channels,
    options,
  );
  const definition = {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    channels,
    ...options,
  };
  const sent = await operator.call('post', `apps/${operator.tenant.appId}/events/${eventId}/test`, {
    definition,
    user: { email: 'ana@example.com', mobile: '+12025550123' },
    data: { name: 'Ana' },
    delivery: 'sandbox',
  });
  const { requestId } = sent.body;
  const messages = await dashboard.database.prisma.message.findMany({ where: { requestId } });
  return { event: name, requestId, ids: new Map(messages.map(({ channel, id }) => [channel, id])) };
}

describe('GET api/apps/:appId/captures', () => {
  test('lists the newest first in pages, each with its first words', async () => {
    const mail = await capture({ content: { subject: 'Your order', html: '<p>Hello</p>' } });
    const push = await capture({ channel: 'push', content: { title: '', body: 'On its way' } });
    const hidden = await capture({ content: '[sensitive]' });
    const body = await list();
    expect(messageIds(body)).toEqual([hidden, push, mail]);
    expect(body.captures.map(({ line }: { line: string }) => line)).toEqual([
      '[sensitive]',
      'On its way',
      'Your order',
    ]);
    expect(body.next).toBeNull();
    for (let more = 0; more < 100; more += 1) await capture();
    const first = await list();
    expect(first.captures).toHaveLength(100);
    expect(messageIds(await list({ before: first.next }))).toEqual([hidden, push, mail]);
  });

  test('filters by channel, event, and words of the address or message', async () => {
    const { event, ids } = await send();
    const mail = await capture({ content: { subject: 'Your Order 88213' } }, ids.get('email'));
    const sms = await capture(
      { channel: 'sms', target: '+12025550123', content: { text: 'Order 7' } },
      ids.get('sms'),
    );
    const otherCapture = await capture({
      target: 'bo@example.com',
      content: { text: 'Bell rope' },
    });
    expect(messageIds(await list({ channel: 'sms' }))).toEqual([sms]);
    expect(messageIds(await list({ event }))).toEqual([sms, mail]);
    expect(messageIds(await list({ text: 'order' }))).toEqual([sms, mail]);
    expect(messageIds(await list({ text: 'ORDER ana@' }))).toEqual([mail]);
    expect(messageIds(await list({ text: 'rope bo@example.com' }))).toEqual([otherCapture]);
    expect(messageIds(await list({ text: '100%_' }))).toEqual([]);
  });

  test('finds only the newest, as many as an app keeps', async () => {
    await capture({ channel: 'sms' });
    const oldest = await capture({ channel: 'push' });
    for (let count = 1; count < 499; count += 1) await capture();
    const newest = await capture();
    expect(messageIds(await list())[0]).toBe(newest);
    expect(messageIds(await list({ channel: 'push' }))).toEqual([oldest]);
    expect(messageIds(await list({ channel: 'sms' }))).toEqual([]);
  });
});

describe('GET api/apps/:appId/captures/:captureId', () => {
  test('returns the newest of many captures of a message', async () => {
    const messageId = newId();
    for (let attempt = 1; attempt <= 70; attempt += 1) await capture({ attempt }, messageId);
    const { id } = (await list()).captures[0];
    const { body } = await operator.call('get', captures(`/${id}`));
    const attempts = body.captures.map((one: New) => one.attempt);
    expect(attempts).toHaveLength(60);
    expect([Math.max(...attempts), Math.min(...attempts)]).toEqual([70, 11]);
  });

  test('returns all captures of the same request in channel order', async () => {
    const { requestId, event, ids } = await send();
    await capture({ content: { subject: 'Hi' } }, ids.get('email'));
    await capture({ content: { subject: 'Hi' }, attempt: 2 }, ids.get('email'));
    await capture({ channel: 'sms', target: '+12025550123' }, ids.get('sms'));
    await capture();
    const { id } = (await list({ channel: 'sms' })).captures[0];
    const { body } = await operator.call('get', captures(`/${id}`));
    expect(body).toMatchObject({ id, requestId, event: { name: event }, data: { name: 'Ana' } });
    expect(body.version).toMatchObject({ kind: 'test' });
    const channelAttempts = body.captures.map((one: New) => [one.channel, one.attempt]);
    expect(channelAttempts).toEqual([
      ['sms', 1],
      ['email', 2],
      ['email', 1],
    ]);
    expect(body.captures[0].request).toEqual({ operation: 'SMTP', body: {} });
  });

  test('is linked from its message in the timeline, with the newest attempt', async () => {
    const { requestId, ids } = await send();
    await capture({}, ids.get('email'));
    await capture({ attempt: 2 }, ids.get('email'));
    const newest = (await list()).captures[0];
    const { body } = await operator.call(
      'get',
      `apps/${operator.tenant.appId}/requests/${requestId}`,
    );
    const links = body.channelRows.map((row: { channel: string; captureId: string | null }) => [
      row.channel,
      row.captureId,
    ]);
    expect(newest.attempt).toBe(2);
    expect(links).toEqual([
      ['sms', null],
      ['email', newest.id],
    ]);
  });

  test('masks the data of a sensitive event and marks captures without a request', async () => {
    const { ids } = await send({ isSensitive: true });
    await capture({ content: '[sensitive]' }, ids.get('email'));
    const [hidden] = (await list()).captures;
    const response = await operator.call('get', captures(`/${hidden.id}`));
    expect(response.body).toMatchObject({ isSensitive: true, data: '***' });
    await capture();
    const [alone] = (await list()).captures;
    const { body } = await operator.call('get', captures(`/${alone.id}`));
    expect(body).toMatchObject({ requestId: null, event: null, version: null, data: null });
    expect(body.captures).toHaveLength(1);
  });
});

describe('DELETE', () => {
  test('deletes one, or all of the app after confirmation, and records the operator', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { appId } = neighbour.tenant;
    await writeCapture(dashboard.database.delivery, {
      ...{
        appId,
        messageId: newId(),
        attempt: 1,
        channel: 'sms',
        provider: 'twilio',
        target: '+1',
      },
      ...{ content: {}, request: {}, outcome: 'accepted' },
    });
    const [keptId, removedId] = [await capture(), await capture()];
    const [{ id }] = (await list()).captures;
    expect((await operator.call('delete', captures(`/${id}`))).body).toEqual({ success: true });
    expect((await operator.call('delete', captures(`/${id}`))).status).toBe(404);
    expect(messageIds(await list())).toEqual([keptId]);
    expect(removedId).not.toBe(keptId);
    const response = await operator.call('delete', captures());
    expect([response.status, response.body.code]).toEqual([409, 'needs_confirmation']);
    const all = await operator.call('delete', captures(), { confirm: true });
    expect(all.body).toEqual({ removed: 1 });
    expect((await list()).captures).toEqual([]);
    expect((await neighbour.call('get', `apps/${appId}/captures`)).body.captures).toHaveLength(1);
    const entries = await listOperatorEntries(operator);
    expect(entries).toMatchObject([
      { action: 'captures.removed', appId: operator.tenant.appId },
      { action: 'capture.removed', subject: id },
    ]);
  });

  test('refuses a viewer', async () => {
    await capture();
    const [{ id }] = (await list()).captures;
    await dashboard.database.lookUps.query(
      `UPDATE operator SET role = 'viewer' WHERE account_id = $1`,
      [operator.tenant.accountId],
    );
    for (const suffix of ['', `/${id}`]) {
      const { body } = await operator.call('delete', captures(suffix), { confirm: true });
      expect(body.code).toBe('not_allowed');
    }
    expect((await list()).captures).toHaveLength(1);
  });
});
