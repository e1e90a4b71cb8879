import type { MailApiSimulator } from './mail-api';
import { closeAll, closers, post } from './raw-calls.fixture';
import { createSendgridSimulator } from './sendgrid';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of SendGrid', () => {
  const person = { to: [{ email: 'bob@example.org' }] };
  const valid = {
    personalizations: [person],
    from: { email: 'ada@example.com', name: 'Ada, Ltd.' },
    subject: 'Hello',
    content: [
      { type: 'text/plain', value: 'Hello' },
      { type: 'text/html', value: '<p>Hello' },
    ],
  };
  const file = { filename: 'a.txt', content: 'YQ==', type: 'text/plain' };
  const headers = { authorization: 'Bearer right', 'content-type': 'application/json' };
  let simulator: MailApiSimulator;

  beforeAll(async () => {
    simulator = await createSendgridSimulator({ apiKey: 'right' });
    closers.push(simulator.close);
  });

  const send = (body: object | string, changes: Record<string, string> = {}) =>
    post(`${simulator.url}/v3/mail/send`, {
      headers: { ...headers, ...changes },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(valid).filter(([each]) => each !== name));
  const people = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ email: `a${n}@example.org` }));

  test.each<[string, object]>([
    ['a mail', valid],
    ['1,000 recipients', { ...valid, personalizations: [{ to: people(1_000) }] }],
    ['a file', { ...valid, attachments: [{ ...file, content_id: 'a', disposition: 'inline' }] }],
  ])('accepts %s', async (_what, body) => {
    const before = simulator.sends.length;
    expect((await send(body)).status).toBe(202);
    expect(simulator.sends).toHaveLength(before + 1);
  });

  test.each<[string, object, string, RegExp]>([
    ['no personalization', without('personalizations'), 'personalizations', /required/],
    ['no sender', without('from'), 'from', /must be provided/],
    ['no subject', without('subject'), 'subject', /required/],
    ['no content', without('content'), 'content', /required/],
    [
      'a sender beyond ASCII',
      { ...valid, from: { email: 'å@x.org' } },
      'from.email',
      /valid address/,
    ],
    [
      'a wrong recipient',
      { ...valid, personalizations: [{ to: [{ email: 'x' }] }] },
      'personalizations.0.to.0.email',
      /valid address/,
    ],
    [
      'one recipient twice',
      { ...valid, personalizations: [{ ...person, cc: person.to }] },
      'personalizations',
      /only once/,
    ],
    [
      '1,001 recipients',
      { ...valid, personalizations: [{ to: people(600), cc: people(1_001).slice(600) }] },
      'personalizations',
      /limit of 1000/,
    ],
    ['HTML before text', { ...valid, content: valid.content.toReversed() }, 'content', /first/],
    [
      'an empty text',
      { ...valid, content: [{ type: 'text/plain', value: '' }] },
      'content.0.value',
      /non-empty/,
    ],
    ['a reserved header', { ...valid, headers: { Bcc: 'x' } }, 'headers', /reserved/],
    [
      'a type with a parameter',
      { ...valid, attachments: [{ ...file, type: 'a/b; c=d' }] },
      'attachments.0.type',
      /;/,
    ],
    ['an unknown field', { ...valid, sender: 'x' }, 'sender', /unknown/],
  ])('refuses %s', async (_what, body, field, message) => {
    const answer = await send(body);
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ field, message: expect.stringMatching(message) }] },
    });
  });

  test.each<[string, Record<string, string>, number]>([
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer x' }, 401],
    ['another type', { 'content-type': 'text/plain' }, 415],
  ])('refuses %s', async (_what, changes, status) => {
    expect(await send(valid, changes)).toMatchObject({ status, body: { errors: [{}] } });
  });

  test('refuses a key that may not send', async () => {
    const limited = await createSendgridSimulator({ scopes: ['alerts.read'] });
    closers.push(limited.close);
    const answer = await post(`${limited.url}/v3/mail/send`, {
      headers,
      body: JSON.stringify(valid),
    });
    expect(answer.status).toBe(403);
  });
});
