import type { MailApiSimulator } from './mail-api';
import { createPostmarkSimulator } from './postmark';
import { closeAll, closers, post } from './raw-calls.fixture';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of Postmark', () => {
  const valid = {
    From: '"Ada, Ltd." <ada@example.com>',
    To: 'bob@example.org',
    Subject: 'Hello',
    TextBody: 'Hello',
  };
  const headers = {
    'x-postmark-server-token': 'right',
    'content-type': 'application/json',
    accept: 'application/json',
  };
  let simulator: MailApiSimulator;

  beforeAll(async () => {
    simulator = await createPostmarkSimulator({ serverToken: 'right' });
    closers.push(simulator.close);
  });

  const send = (body: object | string, changes: Record<string, string> = {}) =>
    post(`${simulator.url}/email`, {
      headers: { ...headers, ...changes },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(valid).filter(([each]) => each !== name));
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, n) => `a${n}@example.org`).join(', ');
  const file = { Name: 'a.txt', Content: 'YQ==', ContentType: 'text/plain' };

  test.each<[string, object]>([
    ['a mail', valid],
    ['50 recipients', { ...valid, To: addresses(50) }],
    ['a file', { ...valid, Attachments: [{ ...file, ContentID: 'cid:a' }] }],
    ['metadata', { ...valid, Metadata: { a: 'x'.repeat(80) } }],
  ])('accepts %s', async (_what, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({
      status: 200,
      body: { ErrorCode: 0, MessageID: expect.stringMatching(/./) },
    });
  });

  test.each<[string, object | string, number, RegExp]>([
    ['no sender', without('From'), 300, /'From'/],
    ['no recipient', without('To'), 300, /'To'/],
    ['no body', without('TextBody'), 300, /TextBody or HtmlBody/],
    ['51 recipients', { ...valid, To: addresses(26), Cc: addresses(25) }, 300, /50 recipients/],
    ['a name with a comma', { ...valid, From: 'A, B <a@x.org>' }, 300, /'From'/],
    ['a recipient beyond ASCII', { ...valid, To: 'å@x.org' }, 300, /'To'/],
    ['an unknown field', { ...valid, Sender: 'x' }, 300, /Sender is unknown/],
    [
      'a line break in a header',
      { ...valid, Headers: [{ Name: 'A', Value: 'b\nc' }] },
      300,
      /header/,
    ],
    ['a long key', { ...valid, Metadata: { ['k'.repeat(21)]: 'x' } }, 300, /over 20/],
    [
      'a file without a type',
      { ...valid, Attachments: [{ Name: 'a', Content: 'YQ==' }] },
      300,
      /ContentType/,
    ],
    ['a program', { ...valid, Attachments: [{ ...file, Name: 'a.exe' }] }, 300, /forbidden/],
    ['a body that is not JSON', '{', 402, /Invalid JSON/],
  ])('refuses %s', async (_what, body, code, message) => {
    expect(await send(body)).toMatchObject({
      status: 422,
      body: { ErrorCode: code, Message: expect.stringMatching(message) },
    });
  });

  test.each<[string, Record<string, string>, number, object]>([
    ['no token', { 'x-postmark-server-token': '' }, 401, { ErrorCode: 10 }],
    ['a wrong token', { 'x-postmark-server-token': 'x' }, 401, { ErrorCode: 10 }],
    ['another type', { 'content-type': 'text/plain' }, 422, { ErrorCode: 409 }],
  ])('refuses %s', async (_what, changes, status, body) => {
    expect(await send(valid, changes)).toMatchObject({ status, body });
  });
});
