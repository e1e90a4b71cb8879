import { generateKeyPairSync, sign } from 'node:crypto';
import { isSignedBySendgrid, parseEventKey, sendgridReceipts } from './sendgrid-receipts';

// The example of SendGrid's own library (sendgrid/sendgrid-nodejs, packages/eventwebhook).
const example = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==',
  signature:
    'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=',
  time: '1588788367',
  body: '{"category":"example_payload","event":"test_event","message_id":"message_id"}',
};

function createCall({ key, signature, time, body }: Record<keyof typeof example, string>) {
  return {
    url: 'https://x.example/',
    settings: {},
    credentials: { webhook_key: key },
    headers: {
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': time,
    },
    rawBody: Buffer.from(body),
  };
}

describe('a signature of SendGrid', () => {
  test('is that of the published example', () => {
    expect(isSignedBySendgrid(createCall(example))).toBe(true);
  });

  test.each([
    ['another body', { body: `${example.body}\n` }],
    ['another time', { time: '1588788368' }],
    ['another signature', { signature: example.signature.replace('2j', '3j') }],
    ['no signature', { signature: '' }],
    ['something else as signature', { signature: '%' }],
    ['no key', { key: '' }],
    ['something else as key', { key: 'AAAA' }],
  ])('with %s is refused', (_what, change) => {
    expect(isSignedBySendgrid(createCall({ ...example, ...change }))).toBe(false);
  });

  test('needs a key of the curve that SendGrid uses', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey;
    const text = other.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(parseEventKey(text)).toBeUndefined();
    expect(parseEventKey(example.key)).toBeDefined();
  });
});

describe('an event of SendGrid', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

  function read(events: unknown) {
    const body = JSON.stringify(events);
    const time = '1';
    const signature = sign('sha256', Buffer.from(time + body), privateKey).toString('base64');
    return sendgridReceipts.read(createCall({ key, time, body, signature }));
  }

  const event = {
    email: 'ada@example.org',
    sg_event_id: 'e1',
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
    belfry_message: 'm1',
  };

  // By the examples of twilio.com/docs/sendgrid/for-developers/tracking-events/event.
  test.each<[object, object | undefined]>([
    [{ event: 'processed' }, { state: 'sent', providerMessageId: '14c5d75ce93' }],
    [{ event: 'delivered', response: '250 OK' }, { state: 'delivered' }],
    [{ event: 'deferred', response: '400 try again later' }, { state: 'queued' }],
    [
      { event: 'bounce', type: 'bounce', status: '5.0.0', reason: '500 unknown recipient' },
      { reason: 'bounced', changes: [{ reason: 'bounced' }] },
    ],
    [
      { event: 'bounce', type: 'bounce', bounce_classification: 'Invalid Address' },
      { reason: 'bounced', changes: [{ reason: 'bounced' }] },
    ],
    [
      { event: 'bounce', type: 'bounce', bounce_classification: 'Reputation' },
      { reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] },
    ],
    [
      { event: 'bounce', type: 'bounce', status: '5.7.1' },
      { reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] },
    ],
    [
      { event: 'bounce', type: 'blocked', status: '5.1.1' },
      { reason: 'bounced', changes: [{ reason: 'bounced', minBounces: 3 }] },
    ],
    [{ event: 'dropped', reason: 'Bounced Address' }, { reason: 'rejected_recipient' }],
    [{ event: 'dropped', reason: 'Unsubscribed Address' }, { reason: 'opted_out' }],
    [{ event: 'dropped', reason: 'Spam Content' }, { reason: 'rejected_content' }],
    [{ event: 'spamreport' }, { state: 'delivered', changes: [{ reason: 'complained' }] }],
    [{ event: 'group_unsubscribe' }, { state: 'delivered', changes: [{ reason: 'opted_out' }] }],
    [{ event: 'open' }, undefined],
    [{ event: 'delivered', belfry_message: undefined }, undefined],
  ])('%j', (change, expected) => {
    const [report, ...others] = read([{ ...event, ...change }]) ?? [];
    expect(others).toEqual([]);
    if (expected) expect(report).toMatchObject({ recipient: 'ada@example.org', ...expected });
    else expect(report).toBeUndefined();
    if (expected && !('changes' in expected) && !('opted_out' === report?.reason)) {
      expect(report).not.toHaveProperty('changes');
    }
  });

  test('is read beside others of the same call, and beside what is no event', () => {
    const events = [
      { ...event, event: 'delivered' },
      { ...event, event: 'open' },
      { ...event, event: 'delivered', belfry_message: 'm2', sg_event_id: 'e2' },
      null,
      'x',
    ];
    expect(read(events)?.map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
    expect(read({ ...event, event: 'delivered' })).toEqual([]);
  });
});
