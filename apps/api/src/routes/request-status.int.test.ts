import { newId } from '@belfry/runtime';
import {
  countedAs,
  countStates,
  type MessageState,
  type StateCounts,
  type StateGroup,
} from '@belfry/shared';
import { channelVersion, type Tenant, writeMixedRequest } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
beforeEach(async () => {
  tenant = await gateway.factories.createTenant();
});
afterAll(() => gateway?.close());

const channels = ['email', 'slack', 'sms'];

function createEvent() {
  return gateway.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Hi', text: 'Hi' }),
    slack: channelVersion({ text: 'Hi' }),
    sms: channelVersion({ text: 'Hi' }),
  });
}

async function send(path: string, body: object): Promise<string> {
  const { appId: app, apiKey } = tenant;
  const answer = await gateway.call({ method: 'post', path, body, app, apiKey });
  expect(answer.status).toBe(200);
  return answer.body.request_id;
}

async function read(requestId: string, query = '', as = tenant) {
  const { appId: app, apiKey } = as;
  const path = `/requests/${requestId}${query}`;
  const { status, body } = await gateway.call({ method: 'get', path, app, apiKey });
  return { status, body };
}

/** Reads all pages and counts them. */
async function readAll(requestId: string, limit: number) {
  const messages: Listed[] = [];
  let cursor = '';
  for (let pages = 1; ; pages += 1) {
    const { status, body } = await read(requestId, `?limit=${limit}&cursor=${cursor}`);
    expect(status).toBe(200);
    expect(body.messages.length).toBeLessThanOrEqual(limit);
    messages.push(...body.messages);
    if (body.next === undefined) return { messages, pages, body };
    cursor = encodeURIComponent(body.next);
  }
}

type Listed = {
  id?: string;
  item: number;
  channel: string;
  target?: string;
  state: MessageState;
  reason?: string;
  generation: number;
  resend_of?: string;
  resent_as?: string;
};

function toWire({ skippedByReason, ...counts }: StateCounts) {
  return { ...counts, skipped_by_reason: skippedByReason };
}

describe('the status of a request', () => {
  test('lists each message of a single send, with its address masked and without content', async () => {
    const { name: event } = await createEvent();
    const user = { email: 'ana@example.com', mobile: '+12025550123' };
    const requestId = await send('/events/send', { event, user, data: { secret: 'a-secret' } });
    const { status, body } = await read(requestId.toUpperCase());
    expect(status).toBe(200);
    const time = expect.any(Number);
    const message = { id: expect.any(String), item: 0, generation: 0, created_at: time };
    const queued = { ...message, state: 'queued', due_at: time };
    const none = { waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0, skipped: 0 };
    const waiting = { ...none, total: 1, waiting: 1, skipped_by_reason: {} };
    const skipped = { ...none, total: 1, skipped: 1, skipped_by_reason: { no_address: 1 } };
    expect(body).toEqual({
      request_id: requestId,
      event,
      kind: 'single',
      accepted_at: time,
      items: 1,
      planned_items: 1,
      counts: { ...none, total: 3, waiting: 2, skipped: 1, skipped_by_reason: { no_address: 1 } },
      channels: { email: waiting, slack: skipped, sms: waiting },
      messages: expect.arrayContaining([
        { ...queued, channel: 'email', target: 'a***@example.com' },
        { ...queued, channel: 'sms', target: '+1202***23' },
        { item: 0, channel: 'slack', state: 'skipped', reason: 'no_address', generation: 0 },
      ]),
    });
    expect(JSON.stringify(body)).not.toMatch(/a-secret|ana@|5550123/);
  });

  test('shows unplanned items as waiting', async () => {
    const { name: event } = await createEvent();
    const batch = [{ user: { email: 'a@example.com' } }, { user: { email: 'b@example.com' } }];
    const requestId = await send('/events/bulk_send', { event, batch });
    const { body } = await read(requestId);
    expect(body).toMatchObject({
      kind: 'bulk',
      items: 2,
      planned_items: 0,
      counts: { total: 6, waiting: 6 },
      channels: { email: { total: 2, waiting: 2 } },
    });
    expect(body.messages).toHaveLength(6);
    expect(body.messages[0]).toEqual({ item: 0, channel: 'email', state: 'queued', generation: 0 });
  });

  test.each([1, 2, 3])(
    'counts every state and reason, and its pages contain each message once (%i)',
    async (seed) => {
      const event = await createEvent();
      const options = { event, channels, items: 60, unplanned: 12, seed };
      const mixed = await writeMixedRequest(gateway.database, tenant, options);
      const { messages, pages, body } = await readAll(mixed.requestId, 17);
      expect(body.channels).toEqual(
        Object.fromEntries(channels.map((name) => [name, toWire(mixed.counts[name]!)])),
      );
      expect(pages).toBe(Math.ceil(messages.length / 17));
      const stored = messages.filter(({ id }) => id !== undefined);
      expect(new Set(stored.map(({ id }) => id)).size).toBe(mixed.messages);
      const places = messages.map((each) => `${each.item} ${each.id ?? each.channel}`);
      expect(new Set(places).size).toBe(messages.length);
      expect(messages.map(({ item }) => item)).toEqual(
        messages.map(({ item }) => item).sort((a, b) => a - b),
      );

      const counted = messages.filter(({ resent_as }) => resent_as === undefined);
      expect(messages.length - counted.length).toBe(mixed.resent);
      const groups = counted.map(
        ({ channel, state, reason = null }): StateGroup => ({ channel, state, reason, count: 1 }),
      );
      expect(body.counts).toEqual(toWire(countStates(groups)));
      const names = [...new Set(Object.values(countedAs))];
      expect(names.reduce((sum, name) => sum + body.counts[name], 0)).toBe(body.counts.total);
      expect(body.counts.total).toBe(counted.length);
    },
  );

  test('links a resent message with its replacement', async () => {
    const event = await createEvent();
    const options = { event, channels, items: 60, unplanned: 0, seed: 5 };
    const { requestId } = await writeMixedRequest(gateway.database, tenant, options);
    const { messages } = await readAll(requestId, 100);
    const resends = messages.filter(({ generation }) => generation > 0);
    expect(resends.length).toBeGreaterThan(0);
    for (const { id, resend_of, generation } of resends) {
      const before = messages.find((each) => each.id === resend_of);
      expect(before).toMatchObject({ resent_as: id, generation: generation - 1 });
    }
  });

  test.each([
    ['unknown', () => newId()],
    ['malformed', () => 'none'],
    ['empty in its encoding', () => '%20'],
  ])('is 404 for an ID that is %s', async (_, createId) => {
    expect(await read(createId())).toMatchObject({
      status: 404,
      body: { success: false, error: 'request not found', code: 'request_not_found' },
    });
  });

  test('is 404 for a request of another app of the account', async () => {
    const { name: event } = await createEvent();
    const requestId = await send('/events/send', { event, user: { email: 'a@example.com' } });
    const app = { id: newId(), accountId: tenant.accountId, name: 'Other', delivery: 'sandbox' };
    await gateway.database.prisma.app.create({ data: app });
    const answer = await read(requestId, '', { ...tenant, appId: app.id });
    expect(answer).toMatchObject({ status: 404, body: { code: 'request_not_found' } });
  });

  test.each([
    ['limit=0', 'limit must be a whole number from 1 to 100'],
    ['limit=101', 'limit must be a whole number from 1 to 100'],
    ['cursor=5', 'cursor must be the `next` of an earlier response'],
    ['cursor=-1:email', 'cursor must be the `next` of an earlier response'],
    ['cursor=0:%27', 'cursor must be the `next` of an earlier response'],
    ['cursor=0:a&cursor=0:b', 'cursor must appear only once in the query'],
  ])('is 422 for ?%s', async (query, error) => {
    const { name: event } = await createEvent();
    const requestId = await send('/events/send', { event, user: { email: 'a@example.com' } });
    expect(await read(requestId, `?${query}`)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [error] },
    });
  });
});
