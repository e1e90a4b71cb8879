import {
  createSesSimulator,
  type SesSimulator,
  sesAccount,
  sesCertificateUrl,
} from '@belfry/testing';
import type { ReceiptDownloads } from '../../channel';
import { sesReceipts } from './ses-receipts';

let simulator: SesSimulator;
let downloads: string[];

beforeAll(async () => {
  simulator = await createSesSimulator();
});
afterAll(() => simulator.close());
beforeEach(() => {
  downloads = [];
});

/** Downloads from the simulator, and records the URLs as SNS would see them. */
const net: ReceiptDownloads = {
  simulators: {},
  async fetch(url) {
    downloads.push(url);
    const { pathname, search } = new URL(url);
    const answer = await fetch(`${simulator.url}${pathname}${search}`);
    return { body: Buffer.from(await answer.arrayBuffer()) };
  },
};

const read = (
  body: string,
  settings: Record<string, unknown> = { topic_arn: sesAccount.topicArn },
) =>
  sesReceipts.read(
    {
      url: 'https://x.example/',
      settings,
      credentials: {},
      headers: {},
      rawBody: Buffer.from(body),
    },
    net,
  );

const base = {
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: sesAccount.topicArn,
  Timestamp: '2026-01-01T00:00:00.000Z',
};
const notify = (event: object, changes: Record<string, string> = {}) => ({
  ...base,
  Type: 'Notification',
  Message: JSON.stringify(event),
  ...changes,
});
const confirmation = {
  ...base,
  Type: 'SubscriptionConfirmation',
  Token: 'token',
  Message: 'You have chosen to subscribe',
  SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=token',
};

const mail = {
  messageId: 'ses-1',
  tags: { belfry_message: ['m1'] },
  commonHeaders: { subject: 'S' },
};
const delivery = { eventType: 'Delivery', mail, delivery: { recipients: ['ada@example.org'] } };
const bounce = (bounceType: string, bounceSubType: string) => ({
  eventType: 'Bounce',
  mail,
  bounce: {
    bounceType,
    bounceSubType,
    bouncedRecipients: [{ emailAddress: 'ada@example.org', diagnosticCode: 'smtp; 550 5.1.1' }],
  },
});

describe('a message of SNS', () => {
  test.each(['1', '2'] as const)('with a signature of version %s is accepted', async (version) => {
    const reports = await read(simulator.signSns(notify(delivery), { version }));
    expect(reports).toMatchObject([{ messageId: 'm1', state: 'delivered' }]);
  });

  test('may have a subject, which is signed too', async () => {
    const signed = JSON.parse(simulator.signSns(notify(delivery, { Subject: 'S' })));
    expect(await read(JSON.stringify(signed))).toHaveLength(1);
    expect(await read(JSON.stringify({ ...signed, Subject: 'T' }))).toBeUndefined();
  });

  test.each<[string, Record<string, unknown>]>([
    ['another message', { Message: JSON.stringify(bounce('Permanent', 'General')) }],
    ['another ID', { MessageId: 'x' }],
    ['another time', { Timestamp: '2026-01-02T00:00:00.000Z' }],
    ['an unknown version', { SignatureVersion: '3' }],
    ['no signature', { Signature: undefined }],
    ['another type', { Type: 'SubscriptionConfirmation' }],
    ['an unknown type', { Type: 'UnsubscribeConfirmation' }],
  ])('with %s after it was signed is refused', async (_what, change) => {
    const signed = JSON.parse(simulator.signSns(notify(delivery)));
    expect(await read(JSON.stringify({ ...signed, ...change }))).toBeUndefined();
  });

  test.each([
    'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-a.pem',
    'https://evil.example/sns.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem',
    'https://sns.eu-central-1.amazonaws.com@evil.example/SimpleNotificationService-a.pem',
    'https://user@sns.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-a.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem',
    'https://sns.eu-central-1.amazonaws.com/bucket/SimpleNotificationService-a.pem',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem/x',
    'https://s3.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem',
    'not a URL',
  ])('with a certificate at %s is refused, and nothing is downloaded', async (url) => {
    const signed = JSON.parse(simulator.signSns(notify(delivery)));
    expect(await read(JSON.stringify({ ...signed, SigningCertURL: url }))).toBeUndefined();
    expect(downloads).toEqual([]);
  });

  test.each([
    ['another topic', { topic_arn: `${sesAccount.topicArn}-2` }],
    ['no topic', {}],
    ['an empty topic', { topic_arn: '' }],
  ])('is refused by an integration with %s, and nothing is downloaded', async (_what, settings) => {
    expect(await read(simulator.signSns(notify(delivery)), settings)).toBeUndefined();
    expect(await read(simulator.signSns(confirmation), settings)).toBeUndefined();
    expect(downloads).toEqual([]);
  });

  test('is verified with a certificate that is downloaded once', async () => {
    await read(simulator.signSns(notify(delivery)));
    await read(simulator.signSns(notify(delivery)));
    expect(downloads.filter((url) => url === sesCertificateUrl).length).toBeLessThanOrEqual(1);
  });
});

describe('a subscription', () => {
  test('of the integration’s own topic is confirmed', async () => {
    expect(await read(simulator.signSns(confirmation))).toEqual([]);
    expect(downloads.at(-1)).toBe(confirmation.SubscribeURL);
  });

  test.each([
    'https://evil.example/?Action=ConfirmSubscription',
    'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
    'http://169.254.169.254/latest/meta-data',
  ])('with the URL %s is refused, and the URL is not called', async (SubscribeURL) => {
    expect(await read(simulator.signSns({ ...confirmation, SubscribeURL }))).toBeUndefined();
    expect(downloads).not.toContain(SubscribeURL);
  });

  test('that nobody signed is not confirmed', async () => {
    const signed = JSON.parse(simulator.signSns(confirmation));
    expect(await read(JSON.stringify({ ...signed, Token: 'other' }))).toBeUndefined();
    expect(downloads).not.toContain(confirmation.SubscribeURL);
  });
});

// By the examples of docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html.
describe('an event of SES', () => {
  const failed = { state: 'failed', reason: 'bounced' };

  test.each<[object, object[]]>([
    [{ eventType: 'Send', mail, send: {} }, [{ state: 'sent' }]],
    [delivery, [{ state: 'delivered', recipient: 'ada@example.org' }]],
    [bounce('Permanent', 'General'), [{ ...failed, changes: [{ reason: 'bounced' }] }]],
    [bounce('Permanent', 'OnAccountSuppressionList'), [{ reason: 'rejected_recipient' }]],
    [bounce('Transient', 'MailboxFull'), [failed]],
    [bounce('Transient', 'General'), [{ state: 'queued' }]],
    [bounce('Undetermined', 'Undetermined'), [failed]],
    [
      { eventType: 'Reject', mail, reject: { reason: 'Bad content' } },
      [{ reason: 'rejected_content' }],
    ],
    [
      {
        eventType: 'Complaint',
        mail,
        complaint: { complainedRecipients: [{ emailAddress: 'ada@example.org' }] },
      },
      [{ state: 'delivered', changes: [{ reason: 'complained' }] }],
    ],
    [{ eventType: 'Open', mail, open: {} }, []],
    [{ ...delivery, mail: { messageId: 'ses-1' } }, []],
    [
      { ...delivery, delivery: { recipients: ['ada@example.org', 'cc@example.org'] } },
      [{ recipient: 'ada@example.org' }, { recipient: 'cc@example.org' }],
    ],
  ])('%j', async (event, expected) => {
    expect(await read(simulator.signSns(notify(event)))).toMatchObject(expected);
  });
});
