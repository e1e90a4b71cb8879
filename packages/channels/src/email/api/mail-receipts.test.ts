import type { MailApiSend, MailApiSimulator, MailEventKind, MailReport } from '@belfry/testing';
import type { ReceiptReport } from '../../channel';
import { createGuardedFetch } from '../../guarded-fetch';
import { closers } from '../../provider-subject.fixture';
import type { EmailContent } from '../template';
import {
  createTestMessageId,
  type MailService,
  mailContent,
  mailSettings,
} from './mail-api.subject.fixture';
import { mailServices } from './mail-services.fixture';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const url = 'https://notify.example.com/v1/receipts/i1/secret';
const messageId = createTestMessageId();

/** A service with a mail that it accepted. */
async function setUp(service: MailService, content: Partial<EmailContent> = {}) {
  const simulator = await service.createSimulator();
  const { provider, settings, credentials, name } = service;
  const sender = provider.createSender({
    baseUrls: { [name]: simulator.url },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const { outcome } = await sender.send({
    messageId,
    target: 'ada@example.org',
    content: { ...mailContent, ...content },
    settings: { ...mailSettings, ...settings },
    integrationId: 'i1',
    integrationVersion: '1',
    credentials,
    signal: AbortSignal.timeout(10_000),
    deadlineAt: Date.now() + 10_000,
  });
  expect(outcome.outcome).toBe('accepted');
  const [send] = simulator.sends;
  if (!send) throw new Error('Nothing was sent');
  const read = (report: Partial<MailReport>, changedSend: Partial<MailApiSend> = {}) =>
    readReport(service, { simulator, send: { ...send, ...changedSend } }, report);
  return { read, send };
}

async function readReport(
  { provider, settings, credentials, name }: MailService,
  { simulator, send }: { simulator: MailApiSimulator; send: MailApiSend },
  report: Partial<MailReport>,
): Promise<ReceiptReport[] | undefined> {
  const signed = simulator.sign(send, { kind: 'delivered', url, ...report });
  const guarded = createGuardedFetch({ allowedPrivateHosts: ['127.0.0.1'] });
  closers.push(async () => guarded.close());
  return provider.receipts?.read(
    {
      settings: { ...mailSettings, ...settings },
      credentials,
      url,
      headers: signed.headers,
      rawBody: Buffer.from(report.alter?.(signed.body) ?? signed.body),
    },
    { fetch: guarded.fetch, simulators: { [name]: simulator.url } },
  );
}

const suppress = (reason: string, minBounces?: number) => [
  {
    change: 'suppress',
    reason,
    sender: '',
    detail: expect.any(String),
    ...(minBounces === undefined ? {} : { minBounces }),
  },
];

const expected: [MailEventKind, object][] = [
  ['delivered', { state: 'delivered' }],
  ['delayed', { state: 'queued' }],
  ['hard_bounce', { state: 'failed', reason: 'bounced', changes: suppress('bounced') }],
  ['soft_bounce', { state: 'failed', reason: 'bounced', changes: suppress('bounced', 3) }],
  ['complaint', { state: 'delivered', changes: suppress('complained') }],
  ['suppressed', { state: 'failed' }],
];

describe.each(mailServices.map((service) => [service.name, service] as const))(
  'a report of %s',
  (_name, service) => {
    test.each(expected)('about a mail that was %s names the message', async (kind, report) => {
      const { read, send } = await setUp(service);
      const reports = await read({ kind });
      expect(reports).toEqual([
        expect.objectContaining({
          messageId,
          providerMessageId: expect.stringContaining(send.id),
          detail: expect.any(String),
          ...report,
        }),
      ]);
      if (kind === 'delayed') {
        expect(reports?.[0]).not.toHaveProperty('changes');
      }
    });

    test('about something else is ignored', async () => {
      const { read } = await setUp(service);
      expect(await read({ kind: 'opened' })).toEqual([]);
    });

    test('with a wrong signature, without one, or altered after it was signed, is refused', async () => {
      const { read } = await setUp(service);
      expect(await read({ signature: 'wrong' })).toBeUndefined();
      expect(await read({ signature: 'none' })).toBeUndefined();
      if (service.signsNoBody) return;
      const alter = (body: string) => body.replace(messageId, createTestMessageId());
      expect(await read({ alter })).toBeUndefined();
      expect(await read({ alter: (body) => body.replace(/ada@/g, 'eve@') })).toBeUndefined();
    });

    test('is refused by an integration without the secret for it', async () => {
      const simulator = await setUp(service);
      const secrets = Object.keys(service.credentials).filter((name) => name.startsWith('webhook'));
      for (const name of secrets) {
        const { [name]: _, ...credentials } = service.credentials;
        const stripped = { ...service, credentials };
        expect(await readStripped(stripped, simulator.send)).toBeUndefined();
      }
    });

    test('shows neither subject nor content of the mail', async () => {
      const { read } = await setUp(service, { subject: 'A secret subject', text: 'A secret text' });
      for (const [kind] of expected) {
        expect(JSON.stringify(await read({ kind }))).not.toMatch(/A secret/);
        expect((await read({ kind }))?.[0]?.record).toEqual(expect.any(String));
      }
    });

    test('about a mail with copies never blames the message for a copy', async () => {
      const { read } = await setUp(service, { cc: ['cc@example.org'] });
      const [report] = (await read({ kind: 'hard_bounce', recipient: 'cc@example.org' })) ?? [];
      if (report?.recipient === 'cc@example.org') return;
      expect(report).toMatchObject({ state: 'queued' });
      expect(report).not.toHaveProperty('changes');
    });

    test.each([['{'], ['[]'], ['null'], ['{"data":[]}'], ['"x"']])(
      'with the body %s says nothing, signed or not',
      async (body) => {
        const { read } = await setUp(service);
        expect((await read({ alter: () => body })) ?? []).toEqual([]);
      },
    );

    async function readStripped(stripped: MailService, send: MailApiSend) {
      const simulator = await service.createSimulator();
      closers.push(simulator.close);
      return readReport(stripped, { simulator, send }, {});
    }
  },
);

describe('the time of a report', () => {
  const minute = 60_000;

  test.each([
    ['resend', -4 * minute, true],
    ['resend', -6 * minute, false],
    ['resend', 6 * minute, false],
    ['mailgun', -8 * 60 * minute, true],
    ['mailgun', -10 * 60 * minute, false],
  ])('%s: %s ms from now is accepted: %s', async (name, offset, isAccepted) => {
    const service = mailServices.find((each) => each.name === name);
    if (!service) throw new Error(`No service ${name}`);
    const { read } = await setUp(service);
    const reports = await read({ atMs: Date.now() + offset });
    expect(reports !== undefined).toBe(isAccepted);
  });
});
