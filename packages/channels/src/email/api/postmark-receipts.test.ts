import { postmarkReceipts } from './postmark-receipts';

const credentials = { webhook_user: 'postmark', webhook_password: 'a long random password' };
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const right = basic(credentials.webhook_user, credentials.webhook_password);

const read = (
  event: unknown,
  authorization: string | undefined = right,
  own: object = credentials,
) =>
  postmarkReceipts.read({
    url: 'https://x.example/',
    settings: {},
    credentials: { ...own },
    headers: { authorization },
    rawBody: Buffer.from(JSON.stringify(event)),
  });

const event = {
  MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
  Metadata: { belfry_message: 'm1' },
  Recipient: 'ada@example.org',
};

describe('a bounce at Postmark', () => {
  // By the types of postmarkapp.com/developer/api/bounce-api.
  test.each<[string, object | undefined]>([
    ['HardBounce', { state: 'failed', reason: 'bounced', changes: [{ reason: 'bounced' }] }],
    ['BadEmailAddress', { state: 'failed', reason: 'bounced', changes: [{ reason: 'bounced' }] }],
    [
      'SoftBounce',
      { state: 'failed', reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] },
    ],
    [
      'Blocked',
      { state: 'failed', reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] },
    ],
    ['Transient', { state: 'queued' }],
    ['SpamComplaint', { state: 'delivered', changes: [{ reason: 'complained' }] }],
    ['Unsubscribe', { state: 'delivered', changes: [{ reason: 'opted_out' }] }],
    ['ManuallyDeactivated', { state: 'failed', reason: 'rejected_recipient' }],
    ['AutoResponder', undefined],
    ['AddressChange', undefined],
    ['a new type', undefined],
  ])('of the type %s', (Type, expected) => {
    const reports = read({ ...event, RecordType: 'Bounce', Type, ID: 1, Email: 'ada@example.org' });
    expect(reports).toMatchObject(expected ? [{ errorCode: Type, ...expected }] : []);
  });
});

test.each<[string, object, number]>([
  ['of the recipient', { SuppressionReason: 'ManualSuppression', Origin: 'Recipient' }, 1],
  ['of an operator', { SuppressionReason: 'ManualSuppression', Origin: 'Customer' }, 0],
  ['after a bounce', { SuppressionReason: 'HardBounce', Origin: 'Recipient' }, 0],
  ['that ends', { SuppressSending: false, SuppressionReason: null, Origin: 'Recipient' }, 0],
])('a subscription change %s gives %s reports', (_what, change, count) => {
  const base = { ...event, RecordType: 'SubscriptionChange', SuppressSending: true };
  expect(read({ ...base, ...change })).toHaveLength(count);
});

test.each([
  ['another user', basic('other', credentials.webhook_password)],
  ['another password', basic('postmark', 'another password')],
  ['no password', basic('postmark', '')],
  ['a token', 'Bearer x'],
  ['something else', 'Basic %%%'],
])('a report with %s is refused', (_what, authorization) => {
  expect(read({ ...event, RecordType: 'Delivery' }, authorization)).toBeUndefined();
});

test('a report is refused if the integration has no password, even an empty one', () => {
  for (const own of [{}, { webhook_user: '', webhook_password: '' }]) {
    expect(read({ ...event, RecordType: 'Delivery' }, basic('', ''), own)).toBeUndefined();
  }
});
