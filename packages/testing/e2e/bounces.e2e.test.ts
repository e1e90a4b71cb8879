import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { buildReceiptUrl, buildTestAddress } from '@belfry/runtime';
import {
  channelVersion,
  createSmtpSimulator,
  eventually,
  type SmtpSimulator,
  type System,
  startSystem,
  type Tenant,
  testSecrets,
} from '@belfry/testing';
import { createTransport } from 'nodemailer';

let server: SmtpSimulator;
let system: System;
let bouncesPort: number;

beforeAll(async () => {
  server = await createSmtpSimulator({ offersDsn: true });
  system = await startSystem({ workers: ['all,bounces'], env: { BOUNCES_PORT: '0' } });
  const ready = await system.workers[0]?.waitForLine('bounces.ready');
  bouncesPort = Number(new URL(String(ready?.['url'])).port);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await server?.close();
}, 120_000);

type Mailing = { tenant: Tenant; integrationId: string; event: string };

async function createMailing(): Promise<Mailing> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id: integrationId } = await system.factories.createIntegration(tenant, {
    channel: 'email',
    provider: 'smtp',
    settings: {
      host: '127.0.0.1',
      port: server.port,
      require_tls: false,
      from: { address: 'shop@example.com' },
      bounce_domain: 'bounces.example.com',
    },
  });
  const version = channelVersion(
    { subject: 'Hi', text: 'Hi' },
    { integrationIds: [integrationId] },
  );
  const { name: event } = await system.factories.createEvent(tenant, { email: version });
  return { tenant, integrationId, event };
}

/** Sends a mail to the address; returns its envelope sender. */
async function sendMail({ tenant, event }: Mailing, email: string) {
  const requestId = await system.sendAccepted(tenant, { event, user: { email } });
  await system.settled(requestId, ['sent']);
  const from = server.sends.find(({ to }) => to.includes(email))?.from ?? '';
  return { requestId, from };
}

function buildReport(to: string, fields: Record<string, string>): string {
  const status = Object.entries({ 'Final-Recipient': 'rfc822; x@example.org', ...fields });
  const lines = [
    `To: ${to}`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    ...status.map(([name, value]) => `${name}: ${value}`),
    '',
    '--b--',
    '',
  ];
  return lines.join('\r\n');
}

/** Delivers a mail to the role `bounces`; resolves with the server's answer. */
async function deliverMail(to: string, raw: string): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: bouncesPort, ignoreTLS: true });
  try {
    return (await transport.sendMail({ envelope: { from: '', to }, raw })).response;
  } catch (error) {
    return String((error as { response?: string }).response ?? error);
  } finally {
    transport.close();
  }
}

/** As a mail server passes it on: the raw mail as the body of a POST. */
function postReport(integrationId: string, to: string, fields: Record<string, string>) {
  return postMail(integrationId, buildReport(to, fields));
}

async function postMail(integrationId: string, body: string) {
  const url = buildReceiptUrl({
    publicUrl: system.apiUrl,
    secrets: testSecrets(),
    integrationId,
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'message/rfc822' },
    body,
  });
  return { status: response.status, body: await response.json() };
}

const accepted = { status: 200, body: { success: true } };

test('a bounce that comes after the server took the mail fails the message and suppresses the address', async () => {
  const mailing = await createMailing();
  const { tenant, integrationId, event } = mailing;
  const { requestId, from } = await sendMail(mailing, 'gone@example.org');
  expect(from).toMatch(/^b\+[0-9a-f]{32}\.[0-9a-f]{20}@bounces\.example\.com$/);
  const fields = { Action: 'failed', Status: '5.1.1' };
  expect(await postReport(integrationId, from, fields)).toEqual(accepted);
  expect(await system.readMessages(requestId)).toMatchObject([
    { state: 'failed', reason: 'bounced', notes: { receipt_code: '5.1.1' } },
  ]);
  const next = await system.sendAccepted(tenant, { event, user: { email: 'gone@example.org' } });
  await system.settled(next, ['skipped']);
  expect(await system.readMessages(next)).toMatchObject([{ reason: 'suppressed' }]);
  expect(await postReport(integrationId, from, fields)).toEqual(accepted);
});

test('a later bounce makes one webhook, however often it is reported', async () => {
  const mailing = await createMailing();
  const calls: string[] = [];
  const receiver = createServer(async (request, response) => {
    const { type } = (await json(request)) as { type: string };
    calls.push(type);
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const types = ['message.sent', 'message.failed'] as const;
  const endpoint = await system.factories.createWebhookEndpoint(mailing.tenant, {
    url,
    types: [...types],
  });
  const { from } = await sendMail(mailing, 'webhook@example.org');
  await eventually(() => expect(calls).toEqual(['message.sent']));
  for (const Status of ['5.1.1', '5.1.1', '5.2.2']) {
    await postReport(mailing.integrationId, from, { Action: 'failed', Status });
  }
  await eventually(() => expect(calls).toEqual(types));
  const where = { endpointId: endpoint.id, type: 'message.failed' };
  expect(await system.database.prisma.webhookDelivery.count({ where })).toBe(1);
  await new Promise((resolve) => receiver.close(resolve));
});

test('the third bounce of a full mailbox in 7 days suppresses its address', async () => {
  const mailing = await createMailing();
  const { tenant, event, integrationId } = mailing;
  for (let bounces = 1; bounces <= 3; bounces += 1) {
    const { requestId } = await sendMail(mailing, 'full@example.org');
    const from = server.sends.at(-1)?.from ?? '';
    await postReport(integrationId, from, { Action: 'failed', Status: '5.2.2' });
    expect(await system.readMessages(requestId)).toMatchObject([
      { state: 'failed', reason: 'bounced' },
    ]);
  }
  const next = await system.sendAccepted(tenant, { event, user: { email: 'full@example.org' } });
  await system.settled(next, ['skipped']);
});

test('a forged or altered report, and one about another app’s message, get the same answer and change nothing', async () => {
  const mailing = await createMailing();
  const other = await createMailing();
  const { requestId, from } = await sendMail(mailing, 'forged@example.org');
  const fields = { Action: 'failed', Status: '5.1.1' };
  const forged = from.replace(/\.[0-9a-f]{20}@/, `.${'0'.repeat(20)}@`);
  expect(await postReport(mailing.integrationId, forged, fields)).toEqual(accepted);
  expect(await postReport(other.integrationId, from, fields)).toEqual(accepted);
  expect(await system.readMessages(requestId)).toMatchObject([{ state: 'sent', reason: null }]);
  await sendMail(mailing, 'forged@example.org');
});

test('a mail of a connection test shows whether its own mail server signs', async () => {
  const [mailing, other] = [await createMailing(), await createMailing()];
  const { integrationId: testedIntegrationId } = mailing;
  const to = buildTestAddress(testSecrets(), {
    testedIntegrationId,
    domain: 'bounces.example.com',
  });
  const readSignature = async () =>
    (
      await system.database.prisma.integrationHealth.findUnique({
        where: { integrationId: testedIntegrationId },
      })
    )?.mailSignature;
  const mail = `To: ${to}\r\nFrom: shop@example.com\r\n\r\nText\r\n`;
  expect(await postMail(other.integrationId, mail)).toEqual(accepted);
  expect(await readSignature()).toBeUndefined();
  expect(await postMail(testedIntegrationId, mail)).toEqual(accepted);
  expect(await readSignature()).toContain('does not sign');
  const signature = 'v=1; d=example.com; h=from:list-unsubscribe:list-unsubscribe-post; b=AB';
  expect(await deliverMail(to, `DKIM-Signature: ${signature}\r\n${mail}`)).toMatch(/^250 /);
  expect(await readSignature()).toContain('signs for example.com, and covers List-Unsubscribe');
});

describe('the role bounces', () => {
  test('takes a bounce by SMTP, whoever sent the mail', async () => {
    const mailing = await createMailing();
    const { requestId, from } = await sendMail(mailing, 'gone.too@example.org');
    const report = buildReport('postmaster@example.com', { Action: 'failed', Status: '5.1.1' });
    expect(await deliverMail(from.toUpperCase(), report)).toMatch(/^250 /);
    expect(await system.readMessages(requestId)).toMatchObject([
      { state: 'failed', reason: 'bounced' },
    ]);
  });

  test('refuses every other address, and a mail that is too large', async () => {
    const mailing = await createMailing();
    const { requestId, from } = await sendMail(mailing, 'large@example.org');
    const report = buildReport(from, { Action: 'failed', Status: '5.1.1' });
    const forged = from.replace(/\.[0-9a-f]{20}@/, `.${'0'.repeat(20)}@`);
    for (const address of ['ada@example.org', 'postmaster@bounces.example.com', forged]) {
      expect(await deliverMail(address, report)).toMatch(/^550 5\.1\.1 /);
    }
    const line = `${'x'.repeat(78)}\r\n`;
    expect(await deliverMail(from, `${report}${line.repeat(15_000)}`)).toMatch(/^552 /);
    expect(await system.readMessages(requestId)).toMatchObject([{ state: 'sent' }]);
  });
});
