import { Webhook } from 'standardwebhooks';
import type { ReceiptCall } from '../../channel';
import { isSignedBySvix, resendReceipts } from './resend-receipts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function createCall(headers: ReceiptCall['headers'], body: string): ReceiptCall {
  return {
    url: 'https://x.example/',
    settings: {},
    credentials: { webhook_secret: secret },
    headers,
    rawBody: Buffer.from(body),
  };
}

// The example of docs.svix.com/receiving/verifying-payloads/how.
const example = createCall(
  {
    'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'svix-timestamp': '1614265330',
    'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  '{"test": 2432232314}',
);
const exampleMs = 1_614_265_330_000;

describe('a signature of Svix', () => {
  test('is that of the published example, also among others', () => {
    expect(isSignedBySvix(example, exampleMs)).toBe(true);
    const signature = `v1,AAAA v2,g0hM v1a,x ${example.headers['svix-signature']}`;
    const rotated = { ...example, headers: { ...example.headers, 'svix-signature': signature } };
    expect(isSignedBySvix(rotated, exampleMs)).toBe(true);
  });

  test.each([
    ['another body', { rawBody: Buffer.from('{"test": 2432232315}') }],
    ['another time', { headers: { ...example.headers, 'svix-timestamp': '1614265331' } }],
    ['another ID', { headers: { ...example.headers, 'svix-id': 'msg_2' } }],
    ['no ID', { headers: { ...example.headers, 'svix-id': '' } }],
    ['no secret', { credentials: {} }],
    ['an empty secret', { credentials: { webhook_secret: '' } }],
    ['two signatures headers', { headers: { ...example.headers, 'svix-signature': ['v1,g0hM'] } }],
  ])('with %s is refused', (_what, change) => {
    expect(isSignedBySvix({ ...example, ...change }, exampleMs)).toBe(false);
  });

  test('made by a library of the standard is accepted', () => {
    const body = JSON.stringify({ type: 'email.opened', data: {} });
    const now = new Date();
    const headers = {
      'svix-id': 'msg_1',
      'svix-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'svix-signature': new Webhook(secret).sign('msg_1', now, body),
    };
    expect(resendReceipts.read(createCall(headers, body))).toEqual([]);
  });
});
