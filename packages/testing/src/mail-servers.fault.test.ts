import { buildReceiptUrl } from '@belfry/runtime';
import {
  channelVersion,
  createSmtpSimulator,
  findClosedPort,
  type SmtpSimulator,
  type System,
  startSystem,
  testSecrets,
} from '@belfry/testing';
import { eximPath, type MailServer, postfixPath, startExim, startPostfix } from './mail-servers';

jest.setTimeout(180_000);

let nextHop: SmtpSimulator;
let system: System;
let bouncesPort: number;

beforeAll(async () => {
  nextHop = await createSmtpSimulator();
  system = await startSystem({ workers: ['all,bounces'], env: { BOUNCES_PORT: '0' } });
  const ready = await system.workers[0]?.waitForLine('bounces.ready');
  bouncesPort = Number(new URL(String(ready?.['url'])).port);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await nextHop?.close();
}, 120_000);

const testPostfix = postfixPath === undefined && process.env['CI'] !== 'true' ? test.skip : test;
const testExim = eximPath === undefined && process.env['CI'] !== 'true' ? test.skip : test;

type Start = (route: { port: number; nextHopPort: number; url: string }) => Promise<MailServer>;

async function createMailing(port: number) {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id: integrationId } = await system.factories.createIntegration(tenant, {
    channel: 'email',
    provider: 'smtp',
    settings: {
      host: '127.0.0.1',
      port,
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
  const receipts = { publicUrl: system.apiUrl, secrets: testSecrets(), integrationId };
  return { tenant, event, url: buildReceiptUrl(receipts) };
}

/** Sends a mail through the server to an address that the next server refuses. */
async function expectBounce(
  start: Start,
  { email, code }: { email: string; code: string },
): Promise<void> {
  const port = await findClosedPort();
  const { tenant, event, url } = await createMailing(port);
  const server = await start({ port, nextHopPort: nextHop.port, url });
  try {
    nextHop.fail({ at: 'rcpt', to: email, reply: '550 5.1.1 No such user' });
    const send = { event, user: { email } };
    const requestId = await system.sendAccepted(tenant, send);
    const [message] = await system.settled(requestId, ['failed'], 60_000);
    expect(message).toMatchObject({ reason: 'bounced', notes: { receipt_code: code } });
    // The server took the mail, and reported the refusal later.
    expect(message?.attemptRows).toMatchObject([{ outcome: 'accepted' }]);
    const next = await system.sendAccepted(tenant, send);
    expect(await system.settled(next, ['skipped'])).toMatchObject([{ reason: 'suppressed' }]);
  } finally {
    await server.stop();
  }
}

// As root: apt-get install postfix curl
testPostfix(
  'a bounce that Postfix writes comes by HTTP, fails the message and suppresses the address',
  () =>
    expectBounce(({ url, ...ports }) => startPostfix({ ...ports, bounces: { url } }), {
      email: 'gone@example.org',
      code: '5.1.1',
    }),
);

// As root: apt-get install exim4-daemon-light. Beside Postfix: unpack the package, and set EXIM_PATH.
testExim(
  'a bounce that Exim writes comes by SMTP, fails the message and suppresses the address',
  () =>
    expectBounce(
      ({ url: _, ...ports }) => startExim({ ...ports, bounces: { port: bouncesPort } }),
      // Exim has the code of the next server only in its text.
      { email: 'gone@example.net', code: '5.0.0' },
    ),
);
