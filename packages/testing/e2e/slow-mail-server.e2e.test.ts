import {
  channelVersion,
  createSmtpSimulator,
  eventually,
  type SmtpSimulator,
  type System,
  startSystem,
} from '@belfry/testing';

jest.setTimeout(240_000);

/** A mail's deadline is 40 s, and the servers take 1 to 30 s. All times are divided by `speedUp`. */
const deadlineMs = 40_000;
const speedUp = 20;
const mails = 200;
/** The default connections of an integration. */
const connections = 5;

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const roles = 'deliver-email,relay';

async function startMailing(
  delayMs: number,
  {
    timeoutMs = deadlineMs / speedUp,
    env = {},
    workers = [roles],
  }: { timeoutMs?: number; env?: Record<string, string>; workers?: string[] } = {},
) {
  const server = await createSmtpSimulator();
  closers.push(server.close);
  server.delayEach(() => delayMs);
  const system = await startSystem({
    env: { SEND_TIMEOUT_MS: String(timeoutMs), ...env },
    workers,
  });
  closers.push(system.stop);
  return { server, system };
}

type Mailing = { server: SmtpSimulator; system: System };

/** Creates an app with its own integration. */
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
  // A busy machine answers 503 to more than a few sends at once.
  for (let first = 0; first < count; first += sendsAtOnce) {
    const length = Math.min(sendsAtOnce, count - first);
    const numbers = Array.from({ length }, (_, index) => first + index);
    await Promise.all(
      numbers.map((number) =>
        system.sendAccepted(tenant, { event: name, user: { email: `user${number}@example.org` } }),
      ),
    );
  }
  return { appId: tenant.appId };
}

const sendsAtOnce = 20;

function readMessages({ database }: System, appId: string) {
  return database.prisma.message.findMany({ where: { appId }, include: { attemptRows: true } });
}

/** Resolves when all messages are final. */
function readFinal(system: System, appId: string) {
  return eventually(
    async () => {
      const messages = await readMessages(system, appId);
      expect(countStates(messages.filter(({ dueAt }) => dueAt !== null))).toEqual({});
      return messages;
    },
    { timeoutMs: 180_000, intervalMs: 250 },
  );
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

describe('a mail server that answers slowly at the end of a mail', () => {
  // Divided by 20, the deadline is 2 s, which a machine may pause that checks types beside the test, and the slowest server
  // leaves a quarter of it. So these clocks run slower, and more connections make up for it.
  test.each([
    [1, { speedUp: 5, maxConnections: connections }],
    [3, { speedUp: 10, maxConnections: connections }],
    [9, { speedUp: 10, maxConnections: 2 * connections }],
    [30, { speedUp: 2, maxConnections: 40 }],
  ])('(%i s) receives each of 200 mails once', async (seconds, options) => {
    const { maxConnections } = options;
    const timeoutMs = deadlineMs / options.speedUp;
    const { server, system } = await startMailing((seconds * 1_000) / options.speedUp, {
      timeoutMs,
    });
    const { appId } = await sendMails({ server, system }, { maxConnections });
    const messages = await readFinal(system, appId);
    expect({
      arrivals: countArrivals(server),
      states: countStates(messages),
      attempts: messages.reduce((sum, { attempts }) => sum + attempts, 0),
      isWithinConnections: server.mostConnections() <= maxConnections,
    }).toEqual({
      arrivals: { '1 times': mails },
      states: { sent: mails },
      attempts: mails,
      isWithinConnections: true,
    });
  });
});

describe('a worker that is killed while it sends 200 mails to a slow server', () => {
  test('leaves no more possible duplicates than it had connections', async () => {
    const { server, system } = await startMailing(30_000 / speedUp, { timeoutMs: 6_000 });
    const { appId } = await sendMails({ server, system });
    await eventually(() => expect(server.sends.length).toBeGreaterThan(0), { timeoutMs: 30_000 });
    await system.workers[0]?.stop('SIGKILL');
    server.delayEach(() => 0);
    await system.startWorker(roles);
    const messages = await readFinal(system, appId);
    const doubtful = messages.filter(
      ({ state, unknownCount }) => state === 'unknown' || unknownCount > 0,
    );
    expect(doubtful.length).toBeGreaterThan(0);
    expect(doubtful.length).toBeLessThanOrEqual(connections);
    const arrived = new Set(server.sends.map(({ messageId }) => messageId));
    expect([arrived.size, countStates(messages)]).toEqual([mails, { sent: mails }]);
  });
});

describe('a mail server that allows two connections from all workers', () => {
  test('gets no more from two workers and two integrations; each mail waits without an attempt and arrives once', async () => {
    const each = 12;
    const { server, system } = await startMailing(1_000, {
      env: { SMTP_CONNECTIONS_PER_HOST: '2' },
      workers: [roles, 'deliver-email'],
    });
    // Looks while the mails are sent: on a busy machine the first ones may be gone before the last one is accepted.
    const where = { waits: 'connections' };
    const waiting = eventually(
      async () => expect(await system.database.prisma.message.count({ where })).toBeGreaterThan(0),
      { timeoutMs: 60_000 },
    );
    const [, ...tenants] = await Promise.all([
      waiting,
      sendMails({ server, system }, { count: each }),
      sendMails({ server, system }, { count: each }),
    ]);
    for (const { appId } of tenants) {
      const messages = await readFinal(system, appId);
      expect(countStates(messages)).toEqual({ sent: each });
      expect(messages.map(({ attempts }) => attempts)).toEqual(messages.map(() => 1));
    }
    expect(countArrivals(server)).toEqual({ '1 times': each * tenants.length });
    expect(server.mostConnections()).toBe(2);
  });
});
