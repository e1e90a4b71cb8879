import type { MailApiSimulator } from './mail-api';
import { createMailgunSimulator } from './mailgun';
import { closeAll, closers, post } from './raw-calls.fixture';

afterAll(closeAll);

const mime = (changes: Record<string, string | undefined> = {}) => {
  const headers = {
    From: 'ada@example.com',
    To: 'bob@example.org',
    Subject: 'Hello',
    'Message-ID': '<1@example.com>',
    Date: 'Thu, 01 Jan 2026 00:00:00 +0000',
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    ...changes,
  };
  const lines = Object.entries(headers).filter(([, value]) => value !== undefined);
  return `${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\nHello\r\n`;
};

function createForm(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = name === 'message' ? '; filename="m.eml"' : '';
    return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return `${parts.join('')}--b--\r\n`;
}

// Each row is a valid request with one change.
describe('the simulator of Mailgun', () => {
  const valid = { to: 'bob@example.org', message: mime(), 'v:belfry_message': 'm1' };
  const headers = {
    authorization: `Basic ${Buffer.from('api:right').toString('base64')}`,
    'content-type': 'multipart/form-data; boundary=b',
  };
  let simulator: MailApiSimulator;

  beforeAll(async () => {
    simulator = await createMailgunSimulator({ apiKey: 'right' });
    closers.push(simulator.close);
  });

  const send = (
    fields: Record<string, string>,
    changes: Record<string, string> = {},
    path = 'mg.example.com/messages.mime',
  ) =>
    post(`${simulator.url}/v3/${path}`, {
      headers: { ...headers, ...changes },
      body: createForm(fields),
    });
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, n) => `a${n}@example.org`).join(', ');

  test('accepts a mail, and copies that are only in the envelope', async () => {
    const answer = await send({ ...valid, to: 'bob@example.org, bcc@example.org' });
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^<.+@.+>$/) } });
    expect(simulator.sends.at(-1)?.mail).toMatchObject({
      to: ['bob@example.org'],
      bcc: ['bcc@example.org'],
    });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['no recipient', { message: valid.message }, /to parameter is missing/],
    ['no message', { to: valid.to }, /message parameter is missing/],
    ['a wrong recipient', { ...valid, to: 'x' }, /'to' parameter is not a valid address/],
    ['a recipient beyond ASCII', { ...valid, to: 'å@x.org' }, /'to' parameter/],
    ['1,001 recipients', { ...valid, to: addresses(1_001) }, /too many/],
    ['an unknown field', { ...valid, from: 'x' }, /from parameter is unknown/],
    ['a header that is not ASCII', { ...valid, message: mime({ Subject: 'å' }) }, /message: /],
    [
      'a bare line feed',
      { ...valid, message: mime().replace('\r\n\r\nHello', '\r\n\r\nHel\nlo') },
      /message: /,
    ],
  ])('refuses %s', async (_what, fields, message) => {
    expect(await send(fields)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
  });

  test.each<[string, Record<string, string>, string | undefined, number]>([
    ['no key', { authorization: '' }, undefined, 401],
    [
      'a wrong key',
      { authorization: `Basic ${Buffer.from('api:x').toString('base64')}` },
      undefined,
      401,
    ],
    ['another type', { 'content-type': 'application/json' }, undefined, 400],
    ['another domain', {}, 'mg.example.net/messages.mime', 404],
    ['no sender', {}, 'mg.example.com/messages', 400],
  ])('refuses %s', async (_what, changes, path, status) => {
    expect((await send(valid, changes, path)).status).toBe(status);
  });
});
