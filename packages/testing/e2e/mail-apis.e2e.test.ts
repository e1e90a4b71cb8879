import { buildReceiptUrl, newId } from '@belfry/runtime';
import {
  channelVersion,
  createSmtpSimulator,
  eventually,
  type MailApiSend,
  type MailReport,
  type SimulatedMailApi,
  type SmtpSimulator,
  type System,
  startMailApis,
  startSystem,
  type Tenant,
  testSecrets,
} from '@belfry/testing';

const login = { user: 'belfry', pass: 'smtp-password' };
const names = ['mailgun', 'postmark', 'resend', 'sendgrid', 'ses'];
let mailApis: Awaited<ReturnType<typeof startMailApis>>;
let smtp: SmtpSimulator;
let system: System;
let tenant: Tenant;

beforeAll(async () => {
  mailApis = await startMailApis();
  smtp = await createSmtpSimulator({ login });
  system = await startSystem({ env: mailApis.env });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await smtp.close();
  await mailApis.close();
}, 120_000);

function getService(name: string): SimulatedMailApi {
  const service = mailApis.byName[name];
  if (!service) throw new Error(`No service ${name}`);
  return service;
}

/** The ID of a new integration. */
async function createIntegration(
  provider: string,
  { owner = tenant, credentials = {} }: { owner?: Tenant; credentials?: object } = {},
): Promise<string> {
  const from = { address: 'notify@example.com' };
  const smtpSettings = { host: '127.0.0.1', port: smtp.port, require_tls: false, from };
  const own =
    provider === 'smtp' ? { settings: smtpSettings, credentials: login } : getService(provider);
  const { id } = await system.factories.createIntegration(owner, {
    channel: 'email',
    provider,
    settings: own.settings,
    credentials: { ...own.credentials, ...credentials },
  });
  return id;
}

async function createEvent(...integrationIds: string[]): Promise<string> {
  const version = channelVersion({ subject: 'Hi', text: 'Hi' }, { integrationIds });
  return (await system.factories.createEvent(tenant, { email: version })).name;
}

const newAddress = () => `person-${newId()}@example.org`;

async function sendMail(event: string, email = newAddress(), state = 'sent') {
  const requestId = await system.sendAccepted(tenant, { event, user: { email } });
  const [message] = await system.settled(requestId, [state], 30_000);
  if (!message) throw new Error('No message');
  return message;
}

/** A mail that the service accepted, and how to report on it. */
async function sendBy(name: string) {
  const { simulator } = getService(name);
  const integrationId = await createIntegration(name);
  const event = await createEvent(integrationId);
  const message = await sendMail(event);
  const sent = simulator.sends.find(({ messageId }) => messageId === message.id);
  if (!sent) throw new Error('Nothing was sent');
  const report = (changes: Partial<MailReport>, to = integrationId, send: MailApiSend = sent) =>
    simulator.report(send, { kind: 'delivered', url: getReceiptUrl(to), ...changes });
  const readMessage = () =>
    system.database.prisma.message.findUniqueOrThrow({ where: { id: message.id } });
  return { message, event, report, readMessage };
}

function getReceiptUrl(integrationId: string): string {
  return buildReceiptUrl({ publicUrl: system.apiUrl, secrets: testSecrets(), integrationId });
}

const countSuppressions = (recipient: string) =>
  system.database.prisma.suppression.count({ where: { appId: tenant.appId, recipient } });

describe.each(names)('a mail by %s', (name) => {
  test('that is delivered and bounces later has failed, and its address is suppressed', async () => {
    const { message, event, report, readMessage } = await sendBy(name);
    expect(await report({ kind: 'delivered' })).toBe(200);
    expect((await readMessage()).state).toBe('delivered');
    const bounce = { kind: 'hard_bounce' } as const;
    expect(await report(bounce)).toBe(200);
    expect(await readMessage()).toMatchObject({ state: 'failed', reason: 'bounced' });
    expect(await countSuppressions(message.target)).toBe(1);
    await report({ kind: 'delivered' });
    expect((await readMessage()).state).toBe('failed');
    const next = await sendMail(event, message.target, 'skipped');
    expect(next.reason).toBe('suppressed');
  });

  test('that bounces for now has failed, without a suppression; a delay is only noted', async () => {
    const { message, report, readMessage } = await sendBy(name);
    expect(await report({ kind: 'delayed' })).toBe(200);
    expect((await readMessage()).state).toBe('sent');
    expect(await report({ kind: 'soft_bounce' })).toBe(200);
    expect(await readMessage()).toMatchObject({ state: 'failed', reason: 'bounced' });
    expect(await countSuppressions(message.target)).toBe(0);
  });

  test('that its recipient reports as spam has arrived, and the address is suppressed', async () => {
    const { message, report, readMessage } = await sendBy(name);
    expect(await report({ kind: 'complaint' })).toBe(200);
    expect((await readMessage()).state).toBe('delivered');
    expect(await countSuppressions(message.target)).toBe(1);
  });

  test('is not changed by a forged report, by one to another app, or by one about another address', async () => {
    const { message, report, readMessage } = await sendBy(name);
    const kind = 'hard_bounce';
    expect(await report({ kind, signature: 'wrong' })).toBe(403);
    expect(await report({ kind, signature: 'none' })).toBe(403);
    const owner = await system.factories.createTenant({ delivery: 'live' });
    expect(await report({ kind }, await createIntegration(name, { owner }))).toBe(200);
    expect(await report({ kind }, await createIntegration(name))).toBe(200);
    // Resend names the recipients of the mail only.
    if (name !== 'resend') await report({ kind, recipient: 'copy@example.org' });
    expect((await readMessage()).state).toBe('sent');
    expect(await countSuppressions(message.target)).toBe(0);
  });
});

describe('a chain of SMTP and services', () => {
  test('sends by the next one when one refuses its credentials', async () => {
    const wrong = { credentials: { secret_access_key: 'wrong' } };
    const chain = [await createIntegration('ses', wrong), await createIntegration('smtp')];
    const message = await sendMail(await createEvent(...chain));
    expect(
      message.attemptRows.map(({ integrationId, outcome }) => [integrationId, outcome]),
    ).toEqual([
      [chain[0], 'rejected'],
      [chain[1], 'accepted'],
    ]);
    expect(smtp.sends.map(({ to }) => to)).toContainEqual([message.target]);
  });

  test('sends by a service when the mail server refuses the login, and by the next when a service is busy', async () => {
    smtp.fail({ at: 'auth', reply: '535 5.7.8 Wrong password' });
    const { simulator } = getService('postmark');
    const busy = { reply: { status: 503, body: {} } };
    simulator.fail(busy, busy);
    const chain = [
      await createIntegration('smtp'),
      await createIntegration('postmark'),
      await createIntegration('resend'),
    ];
    const message = await sendMail(await createEvent(...chain));
    expect(
      message.attemptRows.map(({ integrationId, outcome }) => [integrationId, outcome]),
    ).toEqual([
      [chain[0], 'rejected'],
      [chain[1], 'retry'],
      [chain[1], 'retry'],
      [chain[2], 'accepted'],
    ]);
  });
});

test('refused reports are counted', async () => {
  const { report } = await sendBy('resend');
  await report({ signature: 'wrong' });
  const { metrics_url: url } = await system.api.waitForLine('api.ready');
  const counted =
    /belfry_http_requests_total\{route="\/v1\/receipts[^"]*",method="POST",status="403"\} [1-9]/;
  await eventually(async () => {
    const answer = await fetch(new URL('/metrics', String(url)));
    expect(await answer.text()).toMatch(counted);
  });
});
