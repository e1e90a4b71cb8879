import { createServer, type IncomingMessage } from 'node:http';
import {
  createTwilioSimulator,
  simulatedAuthToken,
  type TwilioReceipt,
  type TwilioSend,
} from '@belfry/testing';
import type { LocalReceiptReader, ReceiptCall, ReceiptReport } from '../channel';
import { twilioSms } from '../sms/twilio';

const publicUrl = 'https://belfry.example/v1/receipts/i/s3cret?message=0193-a';
const number = '+1 500 555 0009';
const integration = {
  settings: { sender: number },
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
};
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function read(call: Partial<ReceiptCall>): ReceiptReport[] | undefined {
  // Those of SMS, which verify a call without downloads.
  return (twilioSms.receipts as LocalReceiptReader).read({
    ...integration,
    url: publicUrl,
    headers: {},
    rawBody: Buffer.alloc(0),
    ...call,
  });
}

/** A gateway that records what is posted to it. */
async function startGateway() {
  const calls: Pick<ReceiptCall, 'headers' | 'rawBody'>[] = [];
  const server = createServer(async (request, response) => {
    calls.push({ headers: request.headers, rawBody: await readBody(request) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return { calls, origin: `http://127.0.0.1:${address.port}` };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function post(receipt: TwilioReceipt, changes: Partial<TwilioSend> = {}) {
  const gateway = await startGateway();
  const simulator = await createTwilioSimulator();
  closers.push(simulator.close);
  const send: TwilioSend = {
    sid: 'SM1',
    accountSid: integration.credentials.account_sid,
    to: '+4512345678',
    from: '+15005550009',
    body: 'Hello',
    fields: {},
    createdAt: new Date(),
    passwordHash: '',
    statusCallback: publicUrl,
    ...changes,
  };
  const status = await simulator.report(send, { origin: gateway.origin, ...receipt });
  return { status, calls: gateway.calls };
}

describe('a receipt from Twilio', () => {
  test.each<[string, object[]]>([
    ['queued', [{ state: 'queued' }]],
    ['accepted', [{ state: 'queued' }]],
    ['sending', [{ state: 'queued' }]],
    ['sent', [{ state: 'sent' }]],
    ['delivered', [{ state: 'delivered' }]],
    ['read', [{ state: 'read' }]],
    ['failed', [{ state: 'failed' }]],
    ['undelivered', [{ state: 'failed' }]],
    ['canceled', [{ state: 'failed' }]],
    ['received', []],
    ['something_new', []],
    ['constructor', []],
  ])('with the status %s is read', async (status, expected) => {
    const { calls } = await post({ status });
    const reports = read(calls[0] ?? {});
    expect(reports).toMatchObject(expected);
    expect(reports).toHaveLength(expected.length);
  });

  test('has our message ID and Twilio’s', async () => {
    const { calls } = await post({ status: 'sent' });
    expect(read(calls[0] ?? {})).toMatchObject([
      { state: 'sent', messageId: '0193-a', providerMessageId: 'SM1' },
    ]);
  });

  // chatwoot/chatwoot#14149, opengovsg/postmangovsg#1150: a missing code means nothing, so it must
  // not clear a stored one.
  test('has no error code unless Twilio sends one', async () => {
    const { calls } = await post({ status: 'failed' });
    expect(read(calls[0] ?? {})?.[0]).not.toHaveProperty('errorCode');
    const withEmpty = await post({ status: 'undelivered', errorCode: 0 });
    expect(read(withEmpty.calls[0] ?? {})?.[0]).not.toHaveProperty('errorCode');
  });

  // hackclub/attend#84: the text is ours, because Twilio's is often empty.
  test('of an error has our own sentence and a reason', async () => {
    const { calls } = await post({ status: 'undelivered', errorCode: 63016 });
    expect(read(calls[0] ?? {})).toMatchObject([
      {
        state: 'failed',
        errorCode: '63016',
        reason: 'rejected_content',
        detail: expect.stringContaining('use an approved template'),
      },
    ]);
    const unlisted = await post({ status: 'failed', errorCode: 39999 });
    expect(read(unlisted.calls[0] ?? {})).toMatchObject([
      { errorCode: '39999', detail: 'Twilio reported error 39999.' },
    ]);
  });

  test.each<[string, number | undefined, string | undefined]>([
    ['the recipient, when the phone is off', 30003, 'rejected_recipient'],
    ['the recipient, when the carrier reports nothing', 30008, 'rejected_recipient'],
    ['the integration, when its queue is full', 30001, 'rejected_integration'],
    ['the integration, when it was too fast for WhatsApp', 63018, 'rejected_integration'],
    ['the content, when it was filtered', 30007, 'rejected_content'],
    ['the content, when the code is not listed, as in a response', 39999, 'rejected_content'],
    ['nobody for a STOP, and skips the message', 21610, 'opted_out'],
    ['nobody for a blocked sender, and skips the message', 63014, 'opted_out'],
    ['the content outside of the 24 hours', 63016, 'rejected_content'],
    ['nobody without a code', undefined, undefined],
  ])('blames %s', async (_whom, errorCode, reason) => {
    const { calls } = await post({ status: 'failed', ...(errorCode && { errorCode }) });
    expect(read(calls[0] ?? {})?.[0]?.reason).toBe(reason);
  });

  test.each<[string, number, Partial<TwilioSend>, object[]]>([
    ['opt-out from our number', 21610, {}, [{ reason: 'opted_out', sender: number }]],
    [
      'opt-out from another number',
      21610,
      { from: '+15005550007' },
      [{ reason: 'opted_out', sender: '+15005550007' }],
    ],
    ['landline', 30006, {}, [{ reason: 'bounced', sender: '' }]],
    ['unknown number', 30005, {}, [{ reason: 'bounced', sender: '' }]],
    ['phone that is off', 30003, {}, []],
    ['spam filter', 30007, {}, []],
  ])(
    'suppresses only when the code requires it: %s',
    async (_case, errorCode, changes, expected) => {
      const { calls } = await post({ status: 'undelivered', errorCode }, changes);
      const [report] = read(calls[0] ?? {}) ?? [];
      expect(report?.changes ?? []).toMatchObject(
        expected.map((change) => ({ change: 'suppress', ...change })),
      );
      expect(report?.changes ?? []).toHaveLength(expected.length);
    },
  );

  test('of a messaging service suppresses for the service, in the spelling of the settings', async () => {
    const service = `MG${'a'.repeat(32)}`;
    const { calls } = await post(
      { status: 'failed', errorCode: 21610 },
      { from: service.toUpperCase() },
    );
    expect(read({ ...calls[0], settings: { sender: service } })).toMatchObject([
      { changes: [{ sender: service }] },
    ]);
  });
});

describe('the signature of a receipt', () => {
  test.each<[NonNullable<TwilioReceipt['signature']>, boolean]>([
    ['right', true],
    ['wrong', false],
    ['none', false],
  ])('is checked when it is %s', async (signature, isTaken) => {
    const { calls } = await post({ status: 'delivered', signature });
    expect(read(calls[0] ?? {}) !== undefined).toBe(isTaken);
  });

  test('is valid only for its URL, fields and token', async () => {
    const { calls } = await post({ status: 'delivered' });
    const [call = {}] = calls;
    const otherCredentials = { ...integration.credentials, auth_token: 'b'.repeat(32) };
    const { account_sid } = integration.credentials;
    expect(read(call)).toBeDefined();
    expect(read({ ...call, url: publicUrl.replace('0193-a', '0193-b') })).toBeUndefined();
    expect(read({ ...call, url: publicUrl.replace('https', 'http') })).toBeUndefined();
    expect(read({ ...call, rawBody: Buffer.from('MessageStatus=failed') })).toBeUndefined();
    expect(read({ ...call, credentials: otherCredentials })).toBeUndefined();
    expect(read({ ...call, credentials: { account_sid } })).toBeUndefined();
    expect(read({ ...call, credentials: {} })).toBeUndefined();
  });

  test.each([
    ['https://belfry.example/r?message=a', 'https://belfry.example:443/r?message=a'],
    ['https://belfry.example:443/r?message=a', 'https://belfry.example/r?message=a'],
    ['http://[::1]:4400/r?message=a', 'http://[::1]:4400/r?message=a'],
    ['https://belfry.example:8443/r?message=a', 'https://belfry.example:8443/r?message=a'],
  ])('over %s is valid for %s', async (signed, ours) => {
    const { calls } = await post({ status: 'sent' }, { statusCallback: signed });
    expect(read({ ...calls[0], url: ours })).toMatchObject([{ messageId: 'a' }]);
  });

  test('covers the public URL, whatever address the call came in on', async () => {
    const { calls, status } = await post({ status: 'sent', times: 3 });
    expect([status, calls.length]).toEqual([200, 3]);
    for (const call of calls) expect(read(call)).toMatchObject([{ state: 'sent' }]);
  });
});
