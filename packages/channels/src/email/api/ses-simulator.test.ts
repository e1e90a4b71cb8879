import { createSesSimulator, type SesSimulator, sesAccount } from '@belfry/testing';
import { sign } from 'aws4';

const secretAccessKey = 'secret';
const mime = [
  'From: ada@example.com',
  'To: bob@example.org',
  'Subject: Hello',
  'Message-ID: <1@example.com>',
  'Date: Thu, 01 Jan 2026 00:00:00 +0000',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello',
  '',
].join('\r\n');

// Each row is a valid request with one change.
describe('the simulator of SES', () => {
  const raw = (text: string) => ({ Raw: { Data: Buffer.from(text).toString('base64') } });
  const valid = {
    FromEmailAddress: 'ada@example.com',
    Destination: { ToAddresses: ['bob@example.org'] },
    Content: raw(mime),
  };
  let simulator: SesSimulator;

  beforeAll(async () => {
    simulator = await createSesSimulator({ secretAccessKey });
  });
  afterAll(() => simulator.close());

  /** Signs by the library; the simulator computes the signature itself. */
  function createHeaders(body: string, changes: Partial<Parameters<typeof sign>[0]> = {}) {
    const { host } = new URL(simulator.url);
    const path = '/v2/email/outbound-emails';
    const request = { host, path, method: 'POST', service: 'ses', region: sesAccount.region };
    const headers = { 'content-type': 'application/json' };
    const credentials = { accessKeyId: sesAccount.accessKeyId, secretAccessKey };
    return sign({ ...request, headers, body, ...changes }, credentials).headers;
  }

  const send = async (
    body: object,
    changes: Parameters<typeof createHeaders>[1] = {},
    headers: Record<string, string> = {},
  ) => {
    const text = JSON.stringify(body);
    // fetch sets both.
    const { Host: _, 'Content-Length': __, ...signed } = createHeaders(text, changes);
    const answer = await fetch(`${simulator.url}/v2/email/outbound-emails`, {
      method: 'POST',
      headers: { ...signed, ...headers },
      body: text,
    });
    return { status: answer.status, body: await answer.json() };
  };
  const addresses = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@example.org`);

  test.each<[string, object]>([
    ['a mail', valid],
    ['50 recipients', { ...valid, Destination: { ToAddresses: addresses(50) } }],
    ['a tag', { ...valid, EmailTags: [{ Name: 'a', Value: 'b-1' }] }],
  ])('accepts %s', async (_what, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 200, body: { MessageId: expect.stringMatching(/./) } });
  });

  test.each<[string, object, RegExp]>([
    ['no content', { Destination: valid.Destination }, /Content is missing/],
    ['no destination', { Content: valid.Content }, /Destination is missing/],
    ['51 recipients', { ...valid, Destination: { ToAddresses: addresses(51) } }, /exceeds 50/],
    ['a recipient beyond ASCII', { ...valid, Destination: { ToAddresses: ['å@x.org'] } }, /ASCII/],
    ['content that is not base64', { ...valid, Content: { Raw: { Data: '%' } } }, /base64/],
    [
      'a bare line feed',
      { ...valid, Content: raw(mime.replace('Hello\r\n', 'Hel\nlo\r\n')) },
      /bare/,
    ],
    ['a tag with a space', { ...valid, EmailTags: [{ Name: 'a b', Value: 'c' }] }, /tag/],
    ['an unknown field', { ...valid, ReplyTo: 'x' }, /unknown/],
  ])('refuses %s', async (_what, body, message) => {
    expect(await send(body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
  });

  test.each<[string, Parameters<typeof send>[1], Record<string, string>, RegExp]>([
    ['another region', { region: 'us-east-1' }, {}, /does not match/],
    ['another service', { service: 's3' }, {}, /does not match/],
    ['another body', { body: '{}' }, {}, /does not match/],
    ['no signature', {}, { Authorization: '' }, /Missing Authentication Token/],
    ['another key', {}, { Authorization: 'x' }, /Missing Authentication Token/],
  ])('refuses the signature of %s', async (_what, changes, headers, message) => {
    const answer = await send(valid, changes, headers);
    expect(answer).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(message) },
    });
  });
});
