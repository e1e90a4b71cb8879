import type { MailApiSimulator } from './mail-api';
import { closeAll, closers, post } from './raw-calls.fixture';
import { createResendSimulator } from './resend';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of Resend', () => {
  const valid = {
    from: '"Ada, Ltd." <ada@example.com>',
    to: ['bob@example.org'],
    subject: 'Hello',
    text: 'Hello',
  };
  const headers = {
    authorization: 'Bearer re_right',
    'content-type': 'application/json',
    'user-agent': 'test',
  };
  let simulator: MailApiSimulator;

  beforeAll(async () => {
    simulator = await createResendSimulator({ apiKey: 're_right' });
    closers.push(simulator.close);
  });

  const send = (body: object, changes: Record<string, string> = {}) =>
    post(`${simulator.url}/emails`, {
      headers: { ...headers, ...changes },
      body: JSON.stringify(body),
    });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(valid).filter(([each]) => each !== name));
  const addresses = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@example.org`);

  test.each<[string, object]>([
    ['a mail', valid],
    ['a plain sender', { ...valid, from: 'ada@example.com' }],
    ['50 recipients', { ...valid, to: addresses(50) }],
    ['a file', { ...valid, attachments: [{ filename: 'a', content: 'YQ==' }] }],
    ['a tag', { ...valid, tags: [{ name: 'a_b-1', value: 'x' }] }],
  ])('accepts %s', async (_what, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/./) } });
  });

  test.each<[string, object, string, RegExp]>([
    ['no sender', without('from'), 'missing_required_field', /`from`/],
    ['no recipient', without('to'), 'missing_required_field', /`to`/],
    ['no subject', without('subject'), 'missing_required_field', /`subject`/],
    ['no body', without('text'), 'missing_required_field', /`html` or `text`/],
    ['51 recipients', { ...valid, to: addresses(51) }, 'validation_error', /`to`/],
    ['a recipient with a name', { ...valid, to: ['B <b@x.org>'] }, 'validation_error', /`to`/],
    ['a name with a comma', { ...valid, from: 'A, B <a@x.org>' }, 'validation_error', /`from`/],
    ['two senders', { ...valid, from: 'a@x.org, b@x.org' }, 'validation_error', /`from`/],
    ['a recipient beyond ASCII', { ...valid, to: ['å@x.org'] }, 'validation_error', /`to`/],
    ['an unknown field', { ...valid, sender: 'x' }, 'validation_error', /sender is unknown/],
    [
      'a line break in a header',
      { ...valid, headers: { A: 'b\r\nBcc: c' } },
      'validation_error',
      /header/,
    ],
    [
      'a tag with a space',
      { ...valid, tags: [{ name: 'a b', value: 'x' }] },
      'validation_error',
      /tag/,
    ],
    [
      'a file without a name',
      { ...valid, attachments: [{ content: 'YQ==' }] },
      'invalid_attachment',
      /filename/,
    ],
    [
      'a file that is not base64',
      { ...valid, attachments: [{ filename: 'a', content: '{}' }] },
      'invalid_attachment',
      /base64/,
    ],
  ])('refuses %s', async (_what, body, name, message) => {
    const answer = await send(body);
    expect(answer).toMatchObject({
      status: 422,
      body: { statusCode: 422, name, message: expect.stringMatching(message) },
    });
  });

  test.each<[string, Record<string, string>, number, object]>([
    ['no key', { authorization: '' }, 401, { name: 'missing_api_key' }],
    ['a wrong key', { authorization: 'Bearer re_x' }, 401, { message: 'API key is invalid' }],
    ['another type', { 'content-type': 'text/plain' }, 422, { name: 'validation_error' }],
    [
      'a long key',
      { 'idempotency-key': 'x'.repeat(257) },
      400,
      { name: 'invalid_idempotency_key' },
    ],
  ])('refuses %s', async (_what, changes, status, body) => {
    expect(await send(valid, changes)).toMatchObject({ status, body });
  });

  test('answers a repeated key with the first ID, and refuses it with other content', async () => {
    const key = { 'idempotency-key': 'key-1' };
    const first = await send(valid, key);
    const before = simulator.sends.length;
    expect(await send(valid, key)).toEqual(first);
    const changed = await send({ ...valid, subject: 'Other' }, key);
    expect(changed).toMatchObject({ status: 409, body: { name: 'invalid_idempotent_request' } });
    expect(simulator.sends).toHaveLength(before);
  });
});
