import { createHmac } from 'node:crypto';
import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

let system: System;
let tenant: Tenant;

beforeAll(async () => {
  // Two workers of the channel compete for its messages.
  system = await startSystem({ workers: ['deliver-in_app,relay', 'deliver-in_app'] });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(() => system.stop(), 120_000);

async function callInbox(method: string, path: string, body?: object): Promise<unknown> {
  const url = new URL(`/v1/apps/${tenant.appId}/in_app_notifications/${path}`, system.apiUrl);
  const response = await fetch(url, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'X-Raven-User-Signature': createHmac('sha256', tenant.apiKey).update('ana').digest('hex'),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.status).toBe(200);
  return response.json();
}

describe('an event with the in-app channel, in a live app without integrations', () => {
  test('adds one inbox item per call, and reading the item makes the message read', async () => {
    const { name } = await system.factories.createEvent(tenant, {
      in_app: channelVersion({ title: 'Order {{id}}', click_action: 'https://example.com/{{id}}' }),
    });
    const calls = Array.from({ length: 30 }, (_, id) => id);
    const answers = await Promise.all(
      calls.map((id) =>
        system.send(tenant, { event: name, user: { user_id: 'ana' }, data: { id } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const where = { appId: tenant.appId, userId: 'ana' };
    const items = await eventually(
      async () => {
        const storedItems = await system.database.prisma.inboxItem.findMany({ where });
        expect(storedItems).toHaveLength(calls.length);
        return storedItems;
      },
      { timeoutMs: 20_000 },
    );
    expect(new Set(items.map(({ messageId }) => messageId)).size).toBe(calls.length);

    expect(await callInbox('GET', 'unread_count?user_id=ana')).toEqual({ unread_count: 30 });
    const [messageId = ''] = items.map((item) => item.messageId);
    await callInbox('PUT', 'update', { user_id: 'ana', message_id: messageId, status: 'READ' });
    const messages = await system.database.prisma.message.findMany({
      where: { appId: tenant.appId },
    });
    const notRead = messages.filter(({ state }) => state === 'delivered');
    expect(messages.filter(({ state }) => state === 'read').map(({ id }) => id)).toEqual([
      messageId,
    ]);
    expect(notRead).toHaveLength(calls.length - 1);
  });
});
