import {
  channelVersion,
  createSmtpSimulator,
  eventually,
  isFullRun,
  type SmtpSimulator,
  type System,
  startSystem,
} from '@belfry/testing';

jest.setTimeout(240_000);

const isFull = isFullRun();
const mails = isFull ? 200 : 100;
/** The default connections of an integration. */
const connections = 5;

const closers: (() => Promise<void>)[] = [];

// Not after each test: they run concurrently, because they wait most of the time.
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const roles = 'deliver-email,fanout,relay';

/** A server that answers its first mails so late, by default all of them. */
async function startServer(delayMs: number, slowMails = mails): Promise<SmtpSimulator> {
  const server = await createSmtpSimulator();
  closers.push(server.close);
  // The mail is in the list already.
  server.delayEach(() => (server.sends.length <= slowMails ? delayMs : 0));
  return server;
}

let starting: Promise<unknown> = Promise.resolve();

/** Systems start one after the other: starts at once would slow each other and the tests that run already. */
async function startMailing(options: { env: Record<string, string>; workers?: string[] }) {
  const started = starting.then(() => startSystem({ workers: [roles], ...options }));
  starting = started.catch(() => undefined);
  const system = await started;
  closers.push(system.stop);
  return system;
}

type Mailing = { server: SmtpSimulator; system: System };

/** Creates an app with its own integration, and sends in bulk: a busy machine answers 503 to many single sends. */
async function sendMails(
  { server, system }: Mailing,
  { count = mails, maxConnections = connections } = {},
) {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'email',
    provider: 'smtp',
    settings: {
      host: '127.0.0.1',
      port: server.port,
      require_tls: false,
      from: { address: 'shop@example.com' },
      max_connections: maxConnections,
    },
  });
  const version = channelVersion({ subject: 'Hi', text: 'Hi' }, { integrationIds: [id] });
  const { name } = await system.factories.createEvent(tenant, { email: version });
  const batch = Array.from({ length: count }, (_, number) => ({
    user: { email: `user${number}@example.org` },
  }));
  const answer = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}/events/bulk_send`, {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event: name, batch }),
  });
  expect(answer.status).toBe(200);
  return { appId: tenant.appId, count };
}

/** Resolves when all messages are final. */
async function readFinal(system: System, { appId, count }: { appId: string; count: number }) {
  const where = { appId, dueAt: null };
  await eventually(
    async () => expect(await system.database.prisma.message.count({ where })).toBe(count),
    { timeoutMs: 180_000, intervalMs: 250 },
  );
  return system.database.prisma.message.findMany({ where });
}

/** Counts how many messages arrived how often, by Message-ID. */
function countArrivals({ sends }: SmtpSimulator): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { messageId = '' } of sends) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
  const arrivals: Record<string, number> = {};
  for (const count of counts.values()) {
    const name = `${count} times`;
    arrivals[name] = (arrivals[name] ?? 0) + 1;
  }
  return arrivals;
}

function countStates(messages: { state: string }[]): Record<string, number> {
  const states: Record<string, number> = {};
  for (const { state } of messages) states[state] = (states[state] ?? 0) + 1;
  return states;
}

/** Counts attempts by their outcome and reason. */
async function countAttempts(system: System, appId: string): Promise<Record<string, number>> {
  const attempts = await system.database.prisma.attempt.findMany({
    where: { message: { appId } },
  });
  const counts: Record<string, number> = {};
  for (const { outcome, detail } of attempts) {
    const name = [outcome, detail].filter(Boolean).join(': ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

let slowMailing: Promise<System>;

// These tests keep the default deadline of 40 s: a shorter one leaves less time than a busy machine pauses, and a pause of
// this process, which is the mail server, counts too.

// More connections make up for the slower servers. The slowest one answers only as many mails late as it gets at once: the
// others wait for it as long.
test.concurrent.each([
  [mails, 1, connections],
  [mails, 3, 2 * connections],
  [mails, 9, (isFull ? 3 : 5) * connections],
  [isFull ? mails : 50, 30, 10 * connections],
])(
  `a mail server that answers %i of ${mails} mails slowly at their end (%i s) receives each of them once`,
  async (slowMails, seconds, maxConnections) => {
    slowMailing ??= startMailing({ env: { RELAY_REQUEUE_AFTER_MS: '5000' } });
    const mailing = {
      server: await startServer(seconds * 1_000, slowMails),
      system: await slowMailing,
    };
    const sent = await sendMails(mailing, { maxConnections });
    const messages = await readFinal(mailing.system, sent);
    expect({
      arrivals: countArrivals(mailing.server),
      states: countStates(messages),
      attempts: await countAttempts(mailing.system, sent.appId),
      isWithinConnections: mailing.server.mostConnections() <= maxConnections,
    }).toEqual({
      arrivals: { '1 times': mails },
      states: { sent: mails },
      attempts: { accepted: mails },
      isWithinConnections: true,
    });
  },
);

test.concurrent(`a worker that is killed while it sends ${mails} mails to a slow server leaves no more possible duplicates than it had connections`, async () => {
  const server = await startServer(1_500);
  const system = await startMailing({ env: { SEND_TIMEOUT_MS: '6000' } });
  const sent = await sendMails({ server, system });
  await eventually(() => expect(server.sends.length).toBeGreaterThan(0), { timeoutMs: 30_000 });
  await system.workers[0]?.stop('SIGKILL');
  server.delayEach(() => 0);
  await system.startWorker(roles);
  const messages = await readFinal(system, sent);
  const doubtful = messages.filter(
    ({ state, unknownCount }) => state === 'unknown' || unknownCount > 0,
  );
  expect(doubtful.length).toBeGreaterThan(0);
  expect(doubtful.length).toBeLessThanOrEqual(connections);
  const arrived = new Set(server.sends.map(({ messageId }) => messageId));
  expect([arrived.size, countStates(messages)]).toEqual([mails, { sent: mails }]);
});

test.concurrent('a mail server that allows two connections from all workers gets no more from two workers and two integrations; each mail waits without an attempt and arrives once', async () => {
  const count = 12;
  const server = await startServer(1_000);
  const system = await startMailing({
    env: { SMTP_CONNECTIONS_PER_HOST: '2' },
    workers: [roles, 'deliver-email'],
  });
  const where = { waits: 'connections' };
  const waiting = eventually(
    async () => expect(await system.database.prisma.message.count({ where })).toBeGreaterThan(0),
    { timeoutMs: 60_000 },
  );
  const [, ...sent] = await Promise.all([
    waiting,
    sendMails({ server, system }, { count }),
    sendMails({ server, system }, { count }),
  ]);
  for (const each of sent) {
    const messages = await readFinal(system, each);
    expect({
      states: countStates(messages),
      attempts: await countAttempts(system, each.appId),
    }).toEqual({ states: { sent: count }, attempts: { accepted: count } });
  }
  expect(countArrivals(server)).toEqual({ '1 times': 2 * count });
  expect(server.mostConnections()).toBe(2);
});
