import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError } from './verify-webhook';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const otherSecret = `whsec_${randomBytes(24).toString('base64')}`;
const event = { type: 'message.sent', timestamp: '2026-12-01T10:00:00.000Z', data: { item: 0 } };
const body = `${JSON.stringify(event)}\n`;

/** The headers of a webhook, signed by the library of Standard Webhooks. */
function sign({
  at = new Date(),
  id = 'id-1',
  content = body,
  secrets = [secret],
}: {
  at?: Date;
  id?: string;
  content?: string;
  secrets?: string[];
} = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign(id, at, content)).join(' '),
  };
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

describe('verifyWebhook returns the event', () => {
  test.each<[string, string | Uint8Array]>([
    ['of a text', body],
    ['of bytes', new TextEncoder().encode(body)],
    ['of a Buffer', Buffer.from(body)],
  ])('%s', async (_form, raw) => {
    expect(await verifyWebhook(raw, sign(), secret)).toEqual(event);
  });

  test('whatever the form of the headers', async () => {
    const headers = sign();
    expect(await verifyWebhook(body, new Headers(headers), secret)).toEqual(event);
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await verifyWebhook(body, upper, secret)).toEqual(event);
  });

  test('if one of several secrets signed it, and with one of several signatures', async () => {
    expect(await verifyWebhook(body, sign(), [otherSecret, secret])).toEqual(event);
    const both = sign({ secrets: [otherSecret, secret] });
    expect(await verifyWebhook(body, both, secret)).toEqual(event);
    const withOthers = {
      ...both,
      'webhook-signature': `v1a,AAAA v1,!!! ${both['webhook-signature']}`,
    };
    expect(await verifyWebhook(body, withOthers, otherSecret)).toEqual(event);
  });

  test('of a body with any characters', async () => {
    const content = JSON.stringify({ ...event, data: { name: 'Jürgen \u{1F514}' } });
    const raw = Buffer.from(content);
    expect(await verifyWebhook(raw, sign({ content }), secret)).toEqual(JSON.parse(content));
  });

  test('within the tolerance', async () => {
    expect(await verifyWebhook(body, sign({ at: ago(290) }), secret)).toEqual(event);
    const options = { toleranceSeconds: 3_600 };
    expect(await verifyWebhook(body, sign({ at: ago(3_500) }), secret, options)).toEqual(event);
  });
});

describe('verifyWebhook rejects', () => {
  const headers = sign();
  const unsigned = {
    ...headers,
    'webhook-signature': `v1,${createHmac('sha256', 'x').update(body).digest('base64')}`,
  };

  test.each<[string, Parameters<typeof verifyWebhook>, string]>([
    ['another body', [body.replace('0', '1'), headers, secret], 'matches none of the secrets'],
    [
      'a body that was parsed and serialized',
      [JSON.stringify(JSON.parse(body)), headers, secret],
      'as it arrived',
    ],
    ['another secret', [body, headers, otherSecret], 'matches none of the secrets'],
    ['another ID', [body, { ...headers, 'webhook-id': 'id-2' }, secret], 'matches none'],
    ['another signature', [body, unsigned, secret], 'matches none of the secrets'],
    [
      'a signature of another version',
      [
        body,
        { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') },
        secret,
      ],
      'matches none of the secrets',
    ],
    ['an old webhook', [body, sign({ at: ago(310) }), secret], 's old; at most 300 s are allowed'],
    ['a webhook of the future', [body, sign({ at: ago(-310) }), secret], 's ahead; at most 300 s'],
    [
      'a timestamp that is no number',
      [body, { ...headers, 'webhook-timestamp': '1e9' }, secret],
      'webhook-timestamp must be Unix seconds',
    ],
    [
      'a missing header',
      [body, { ...headers, 'webhook-id': undefined }, secret],
      'The header webhook-id is missing or was sent twice',
    ],
    [
      'a repeated header',
      [body, { ...headers, 'webhook-signature': ['v1,a', 'v1,b'] }, secret],
      'The header webhook-signature is missing or was sent twice',
    ],
    ['a signed body that is not JSON', ['{', sign({ content: '{' }), secret], 'not JSON'],
  ])('%s', async (_what, args, problem) => {
    const verified = verifyWebhook(...args);
    await expect(verified).rejects.toThrow(WebhookError);
    await expect(verified).rejects.toThrow(problem);
  });

  test.each<[string, unknown[], string]>([
    ['a parsed body', [event, headers, secret], 'rawBody must be the bytes or the text'],
    ['no secret', [body, headers, []], 'at least one secret'],
    ['a secret in another form', [body, headers, 'secret'], 'must be whsec_ and base64'],
    ['an empty secret', [body, headers, 'whsec_'], 'must be whsec_ and base64'],
  ])('%s with a TypeError', async (_what, args, problem) => {
    const verified = verifyWebhook(...(args as Parameters<typeof verifyWebhook>));
    await expect(verified).rejects.toThrow(TypeError);
    await expect(verified).rejects.toThrow(problem);
  });
});
