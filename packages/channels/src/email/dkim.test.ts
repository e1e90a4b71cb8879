import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createSmtpSimulator } from '@belfry/testing';
import type { dkimVerify } from 'mailauth/lib/dkim/verify';
import type { SenderDeps, TestCall } from '../channel';
import { readBounceMail } from './bounce-reports';
import { smtp } from './smtp';
import type { EmailContent } from './template';

const { dkimVerify: verify } = require('mailauth/lib/dkim/verify') as {
  dkimVerify: typeof dkimVerify;
};

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const pem = { type: 'pkcs8', format: 'pem' } as const;
const { privateKey: rsaKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const rsa = rsaKey.export(pem).toString();
const from = { name: 'Shop', address: 'shop@example.com' };
const dkim = { dkim_domain: 'example.com', dkim_selector: 'belfry' };
const integration = {
  settings: { host: 'mail.example.com', port: 587, from, ...dkim },
  credentials: { dkim_private_key: rsa },
};

const content: EmailContent = {
  subject: 'Grüße 👋, a subject that is long enough to be folded over several lines of the header',
  html: `<p>${'Grüße 👋 R&amp;D '.repeat(80)}</p>\n.\r\nline \r and \n\n`,
  text: 'A line\r.\nFrom here \n\n',
  from: { name: 'Ünë, "Team"' },
  replyTo: 'reply@example.com',
  cc: ['cc@example.org'],
  bcc: [],
  attachments: [{ fileName: 'März.txt', content: Buffer.from('a\nb\rc').toString('base64') }],
  headers: {
    'List-Unsubscribe': `<https://example.com/u/${'a1'.repeat(100)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Id': 'News <news.example.com>',
    'Auto-Submitted': 'auto-generated',
  },
};

async function setUp(deps: Partial<SenderDeps> = {}) {
  const simulator = await createSmtpSimulator();
  const sender = smtp.createSender({ baseUrls: {}, allowedPrivateHosts: ['127.0.0.1'], ...deps });
  closers.push(simulator.close, sender.close);
  const place = { host: '127.0.0.1', port: simulator.port, require_tls: false };
  const settings = { ...integration.settings, ...place };
  const send = (own: Partial<typeof integration> = {}) =>
    sender.send({
      messageId: '0193-a',
      target: 'ada@example.org',
      content,
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: integration.credentials,
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...own,
      settings: { ...settings, ...own.settings, ...place },
    });
  const test = (changes: object = {}, call: Partial<TestCall> = {}) =>
    sender.test({
      ...call,
      settings: { ...settings, ...changes },
      credentials: integration.credentials,
      signal: AbortSignal.timeout(5_000),
    });
  return { simulator, send, test };
}

/** Verifies a mail as a receiver does, with the record that the integration shows in place of DNS. */
async function verifyMail(raw: Buffer) {
  const record = smtp.getDnsRecord?.(integration);
  const resolver = async (name: string, type: string) => {
    expect([name, type]).toEqual([record?.name, 'TXT']);
    return [[record?.value ?? '']];
  };
  const { results } = await verify(raw, { resolver });
  return results;
}

describe('a mail of an integration with a DKIM key', () => {
  test('has a signature that a receiver verifies over both headers of one-click unsubscribe', async () => {
    const { simulator, send } = await setUp();
    expect((await send()).outcome.outcome).toBe('accepted');
    const results = await verifyMail(simulator.sends[0]!.raw);
    expect(results).toMatchObject([
      { status: { result: 'pass', aligned: 'example.com' }, signingDomain: 'example.com' },
    ]);
    // Absent from the library's types.
    const { signingHeaders } = results[0] as { signingHeaders?: { keys: string } };
    const keys = signingHeaders?.keys.toLowerCase().split(/\s*:\s*/);
    expect(keys).toEqual([
      ...['from', 'reply-to', 'to', 'cc', 'subject', 'date', 'message-id', 'mime-version'],
      ...['content-type', 'list-id', 'list-unsubscribe', 'list-unsubscribe-post', 'auto-submitted'],
    ]);
  });

  test.each([
    ['a one-click header', '=One-Click', '=Two-Click', 'fail'],
    ['a link', '/u/a1', '/u/b1', 'fail'],
    // mailauth calls a wrong hash of the body neutral.
    ['the body', 'A line', 'B line', 'neutral'],
  ])(
    'has a signature that does not verify after a change of %s',
    async (_what, before, after, result) => {
      const { simulator, send } = await setUp();
      await send();
      const raw = simulator.sends[0]!.raw.toString('latin1');
      const changed = Buffer.from(raw.replace(before, after), 'latin1');
      expect(changed.toString('latin1')).not.toBe(raw);
      expect(await verifyMail(changed)).toMatchObject([{ status: { result } }]);
    },
  );

  test('is not sent if the stored key is not usable', async () => {
    const { simulator, send } = await setUp();
    const { outcome } = await send({ credentials: { dkim_private_key: 'no key' } });
    expect(outcome).toMatchObject({ outcome: 'rejected', scope: 'integration' });
    expect(simulator.sends).toEqual([]);
  });
});

test('a mail has no signature without a DKIM domain, even if a key is stored', async () => {
  const { simulator, send } = await setUp();
  await send({ settings: { ...integration.settings, dkim_domain: '', dkim_selector: '' } });
  expect(simulator.sends[0]!.raw.toString()).not.toMatch(/dkim-signature/i);
});

describe('the check of an integration', () => {
  const check = (settings: object, dkim_private_key: unknown = rsa) =>
    smtp.check({
      settings: { ...integration.settings, ...settings },
      credentials: { dkim_private_key },
    });

  test('accepts keys of 1,024 to 4,096 bits in both PEM formats, and a domain above or below the sender’s', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
    const pkcs1 = small.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(check({}, pkcs1)).toEqual([]);
    expect(check({}, rsa.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(check({ dkim_domain: 'mail.example.com' })).toEqual([]);
    expect(check({ from: { address: 'shop@news.example.com' } })).toEqual([]);
  });

  const ed25519 = generateKeyPairSync('ed25519').privateKey.export(pem).toString();
  const weak = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey.export(pem).toString();
  const locked = rsaKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'a' }).toString();
  const publicPem = createPublicKey(rsaKey).export({ type: 'spki', format: 'pem' }).toString();

  test.each<[string, object, string, RegExp]>([
    ['no key', {}, '', /^dkim_private_key must be set/],
    ['a text', {}, 'secret', /^dkim_private_key must be a private key in PEM format/],
    ['a public key', {}, publicPem, /^dkim_private_key must be the private key/],
    ['a key with a password', {}, locked, /^dkim_private_key must not be protected/],
    ['a key of 512 bits', {}, weak, /^dkim_private_key must have 1,024 to 4,096 bits.*got 512/],
    ['an Ed25519 key', {}, ed25519, /^dkim_private_key must be an RSA key \(got ed25519\)/],
    ['no domain', { dkim_domain: '' }, rsa, /^dkim_domain must be a lower-case domain/],
    ['an address as domain', { dkim_domain: 'a@example.com' }, rsa, /^dkim_domain must be/],
    ['a domain with a tag', { dkim_domain: 'example.com; d=a.b' }, rsa, /^dkim_domain must be/],
    ['another domain', { dkim_domain: 'other.com' }, rsa, /^dkim_domain .*\(example\.com\)/],
    ['a domain with the same end', { dkim_domain: 'ample.com' }, rsa, /^dkim_domain .* above/],
    ['no selector', { dkim_selector: '' }, rsa, /^dkim_selector must be/],
    ['a wrong selector', { dkim_selector: 'a; s=b' }, rsa, /^dkim_selector must be/],
  ])('refuses %s and names the field', (_what, settings, key, problem) => {
    expect(check(settings, key)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a connection test', () => {
  const record = smtp.getDnsRecord?.(integration);
  const published = record?.value ?? '';
  const failWith = (code: string) => async () => {
    throw Object.assign(new Error(`queryTxt ${code}`), { code });
  };

  test.each<[string, () => Promise<string[][]>, RegExp]>([
    ['is published', async () => [[published]], /DNS has the public key at belfry\._domainkey/],
    [
      'is published in pieces, beside other records',
      async () => [['other'], [published.slice(0, 250), ` ${published.slice(250)}`]],
      /DNS has the public key at belfry\._domainkey/,
    ],
    ['has another key', async () => [['v=DKIM1; p=AAAA']], /does not have the public key/],
    ['was revoked', async () => [['v=DKIM1; p=']], /does not have the public key/],
    ['is missing', failWith('ENOTFOUND'), /DNS has no TXT record at belfry\._domainkey/],
    ['cannot be read', failWith('ETIMEOUT'), /DNS did not answer .*\(ETIMEOUT\)/],
  ])('says that the record %s, and passes', async (_what, resolveTxt, sentence) => {
    const { test } = await setUp({ resolveTxt });
    const { isWorking, detail } = await test();
    expect([isWorking, detail]).toEqual([true, expect.stringMatching(sentence)]);
  });

  test('says if Belfry does not sign, without a lookup', async () => {
    const { test } = await setUp({ resolveTxt: failWith('ENOTFOUND') });
    const { detail } = await test({ dkim_domain: '', dkim_selector: '' });
    expect(detail).toContain('Belfry does not sign with DKIM, and cannot see');
  });
});

describe('a connection test of a mail server that may sign itself', () => {
  const unsigned = { dkim_domain: '', dkim_selector: '', bounce_domain: 'bounces.example.com' };
  const address = `t+${'0'.repeat(32)}.${'a'.repeat(20)}@bounces.example.com`;

  test('sends one mail with both headers of one-click unsubscribe to the bounce domain', async () => {
    const { simulator, test } = await setUp();
    const buildTestAddress = (domain: string) => address.replace(/@.*/, `@${domain}`);
    const { isWorking, detail } = await test(unsigned, {
      buildTestAddress,
      mailSignature: 'Last.',
    });
    expect(isWorking).toBe(true);
    expect(detail).toMatch(/It sent a mail to bounces\.example\.com.* Last\.$/);
    expect(simulator.sends).toMatchObject([{ to: [address], from: 'shop@example.com' }]);
    const raw = simulator.sends[0]!.raw.toString();
    expect(raw).toMatch(/^List-Unsubscribe: <https:/m);
    expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  });

  test('passes if the server does not take that mail, and says so', async () => {
    const { simulator, test } = await setUp();
    simulator.fail({ at: 'rcpt', reply: '550 5.7.1 No relay' });
    const { isWorking, detail } = await test(unsigned, { buildTestAddress: () => address });
    expect([isWorking, detail]).toEqual([true, expect.stringContaining('did not take a mail')]);
  });

  test('sends nothing for an integration that is not saved', async () => {
    const { simulator, test } = await setUp();
    expect((await test(unsigned)).detail).toContain('test the saved integration');
    expect(simulator.sends).toEqual([]);
  });

  const covering = 'v=1; d=example.com; h=From:List-Unsubscribe:\r\n List-Unsubscribe-Post; b=AB';
  const partial = 'v=1; d=other.example; h=from:list-unsubscribe; b=h=list-unsubscribe-post';

  test.each<[string, string[], RegExp]>([
    ['no signature', [], /The mail server does not sign with DKIM\./],
    ['a signature over both', [covering], /signs for example\.com, and covers List-Unsub/],
    ['a signature over one', [partial], /signs for other\.example, but no signature covers both/],
    ['two signatures', [partial, covering], /signs for example\.com, and covers/],
    ['a broken signature', ['d=<b>; h'], /but no signature covers both/],
  ])('reads from the mail that comes back: %s', async (_what, signatures, sentence) => {
    const lines = signatures.map((value) => `DKIM-Signature: ${value}`);
    const raw = [...lines, `To: ${address}`, 'From: shop@example.com', '', 'Text', ''].join('\r\n');
    const url = 'smtp://localhost/';
    const reports = await readBounceMail({ url, rawBody: Buffer.from(raw) });
    expect(reports).toEqual([
      expect.objectContaining({
        messageId: address,
        mailSignature: expect.stringMatching(sentence),
      }),
    ]);
  });
});
