import { createValidator, webhookEvent, webhookTypeNames, webhookTypes } from '@belfry/shared';
import { buildWebhookEvent, maxWebhookBytes, type WebhookSource } from './event';

const source: WebhookSource = {
  type: 'message.failed',
  appId: '0199b1f4-7c10-7b52-8a44-91d0e6f3c2a8',
  occurredAt: new Date('2026-12-01T10:00:00.123Z'),
  data: {
    ...{ request_id: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42', item: 0, channel: 'email' },
    ...{ state: 'failed', reason: 'rejected_recipient' },
  },
  facts: {
    ...{ event: 'order_shipped', user_id: 'customer-1', target: 'ana@example.com', test: null },
    ...{ is_sensitive: false, metadata: { order: 'A-1' } },
  },
};

test('the body has type, time and IDs, the masked address and the metadata', () => {
  expect(buildWebhookEvent(source)).toEqual({
    type: 'message.failed',
    timestamp: '2026-12-01T10:00:00.123Z',
    data: {
      ...{ app_id: source.appId, ...source.data, event: 'order_shipped', user_id: 'customer-1' },
      ...{ target: 'a***@example.com', metadata: { order: 'A-1' } },
    },
  });
});

test('the body about a sensitive event has only IDs, state and reason', () => {
  const facts = { ...source.facts, is_sensitive: true };
  const { data } = buildWebhookEvent({ ...source, facts });
  expect(data).toEqual({
    ...{ app_id: source.appId, ...source.data, event: 'order_shipped', user_id: 'customer-1' },
  });
});

test('the body about deleted or erased rows has what was stored with the change', () => {
  const rest = { app_id: source.appId, ...source.data };
  expect(buildWebhookEvent({ ...source, facts: null }).data).toEqual(rest);
  const erased = { event: 'order_shipped', user_id: null, target: null, metadata: null };
  const { data } = buildWebhookEvent({ ...source, facts: erased });
  expect(data).toEqual({ ...rest, event: 'order_shipped' });
});

test('the largest metadata is left out of a body that would exceed 20,000 bytes', () => {
  const entries = (characters: number) =>
    Array.from({ length: 50 }, (_, n) => [`key-${n}`, 'ä'.repeat(characters)]);
  const build = (characters: number) =>
    buildWebhookEvent({
      ...source,
      facts: { ...source.facts, metadata: Object.fromEntries(entries(characters)) },
    });
  expect(build(150).data).toMatchObject({ metadata: { 'key-0': 'ä'.repeat(150) } });
  const large = build(500);
  expect(large.data).toMatchObject({ metadata_omitted: true, user_id: 'customer-1' });
  expect(large.data).not.toHaveProperty('metadata');
  expect(Buffer.byteLength(JSON.stringify(large))).toBeLessThan(maxWebhookBytes);
});

test.each(webhookTypeNames)('the example of %s matches the schema of its type', (type) => {
  const data = { ...webhookTypes[type].example, test: true };
  const event = buildWebhookEvent({ ...source, type, data, facts: null });
  expect(() => createValidator(webhookEvent)(event)).not.toThrow();
});
