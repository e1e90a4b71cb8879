import { composeHeaders, createEnvelope, describeMail } from './mail';

const call = {
  messageId: '0193-a',
  target: 'ada@example.org',
  settings: { from: { name: 'Belfry', address: 'noreply@example.com' } },
  content: {
    subject: 'Hello',
    text: 'Hello',
    cc: ['bo@example.org', 'ada@example.org'],
    bcc: ['cy@example.org'],
    attachments: [],
    headers: {},
  },
};

test('the envelope names the sender and the recipients, and contains no SMTP command', () => {
  expect(createEnvelope(call)).toEqual({
    from: 'noreply@example.com',
    to: ['ada@example.org', 'bo@example.org', 'cy@example.org'],
  });
});

test('a name cannot inject headers, even in readers that decode encoded words in quotes', () => {
  const content = { ...call.content, from: { name: '=?utf-8?q?=0D=0ABcc:_eve@evil.org?=' } };
  expect(composeHeaders({ ...call, content })).toContain(
    'From: "= ?utf-8?q?=0D=0ABcc:_eve@evil.org?=" <noreply@example.com>',
  );
});

test('the description of a mail has the addresses that are sent', () => {
  const settings = { ...call.settings, reply_to: 'shop@example.com' };
  expect(describeMail({ ...call, settings })).toMatchObject({
    from: { name: 'Belfry', address: 'noreply@example.com' },
    to: 'ada@example.org',
    cc: ['bo@example.org'],
    bcc: ['cy@example.org'],
    reply_to: 'shop@example.com',
  });
  const content = { ...call.content, replyTo: 'content@example.org' };
  expect(describeMail({ ...call, content, settings })).toMatchObject({
    reply_to: 'content@example.org',
  });
});
