import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@belfry/testing';
import fc from 'fast-check';
import type { HostConnections, SendResult, UnsentCall } from '../channel';
import { createRawSmtpServer, type RawStep } from './raw-smtp.fixture';
import { smtp } from './smtp';
import type { EmailContent } from './template';

const closers: (() => Promise<void>)[] = [];

// Not after each test: those that wait for seconds run concurrently with all others.
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const plain: EmailContent = {
  subject: 'Subject',
  text: 'Text',
  cc: [],
  bcc: [],
  attachments: [],
  headers: {},
};

type Changes = Partial<UnsentCall<EmailContent>>;
type Options = { maxConnections?: number; hostConnections?: HostConnections };

async function setUp({ maxConnections = 1, hostConnections }: Options = {}) {
  const server = await createRawSmtpServer();
  const sender = smtp.createSender({
    baseUrls: {},
    allowedPrivateHosts: ['127.0.0.1'],
    ...(hostConnections && { hostConnections }),
  });
  closers.push(server.close, sender.close);
  const call = (messageId: string, changes: Changes = {}): UnsentCall<EmailContent> => ({
    messageId,
    target: 'ada@example.org',
    content: plain,
    settings: {
      host: '127.0.0.1',
      port: server.port,
      require_tls: false,
      from: { address: 'noreply@example.com' },
      max_connections: maxConnections,
    },
    integrationId: 'i1',
    integrationVersion: '1',
    credentials: {},
    ...changes,
  });

  /** Sends as the worker does: a limited wait for the connection, then the deadline. */
  async function send(messageId: string, { waitMs = 10_000, deadlineMs = 5_000 } = {}) {
    const prepared = await sender.prepare?.(call(messageId), AbortSignal.timeout(waitMs));
    if (!prepared) return 'no connection';
    if ('outcome' in prepared) return prepared.outcome.outcome;
    const deadline = { signal: AbortSignal.timeout(deadlineMs), deadlineAt: 0 };
    const { outcome }: SendResult = await prepared.send(deadline);
    prepared.release();
    return outcome.outcome;
  }
  return { server, sender, call, send };
}

const refusal: RawStep = { reply: '550 5.7.1 No' };

describe('a mail that waits for a connection', () => {
  test('gives up after its wait, and no connection is opened for it', async () => {
    const { server, send } = await setUp();
    server.script('end', { slowMs: 300 });
    const first = send('m1');
    await eventually(() => expect(server.mails).toHaveLength(1));
    expect(await send('m2', { waitMs: 50 })).toBe('no connection');
    expect(await first).toBe('accepted');
    expect(server.opened()).toBe(1);
  });

  test('does not use up its deadline while waiting', async () => {
    const { server, send } = await setUp();
    server.script('end', ...Array.from({ length: 5 }, () => ({ slowMs: 150 })));
    const ids = ['m1', 'm2', 'm3', 'm4', 'm5'];
    // Together they take 750 ms.
    const outcomes = await Promise.all(ids.map((id) => send(id, { deadlineMs: 500 })));
    expect(outcomes).toEqual(ids.map(() => 'accepted'));
    expect(server.mostOpen()).toBe(1);
  });

  test('does not take a connection reserved for another mail', async () => {
    const { sender, call, send } = await setUp();
    const reserved = await sender.reserve?.(call('m1'), AbortSignal.timeout(1_000));
    expect(await send('m2', { waitMs: 50 })).toBe('no connection');
    expect(await send('m1', { waitMs: 0 })).toBe('accepted');
    reserved?.release();
    expect(await send('m2')).toBe('accepted');
  });

  test('gets a reserved connection that was released unused', async () => {
    const { sender, call, send } = await setUp();
    const reserved = await sender.reserve?.(call('m1'), AbortSignal.timeout(1_000));
    const waiting = send('m2');
    reserved?.release();
    expect(await waiting).toBe('accepted');
  });

  test('does not wait for connections of an older integration version', async () => {
    const { server, sender, call } = await setUp();
    await sender.reserve?.(call('m1'), AbortSignal.timeout(1_000));
    const changed = call('m1', { integrationVersion: '2' });
    const deadline = { signal: AbortSignal.timeout(1_000), deadlineAt: 0 };
    expect(await sender.send({ ...changed, ...deadline })).toMatchObject({
      outcome: { outcome: 'accepted' },
    });
    expect(server.mails).toHaveLength(1);
  });
});

describe('a connection counts until it takes another mail or is closed', () => {
  test('while the server answers RSET after a refused mail', async () => {
    const { server, send } = await setUp();
    server.script('RCPT', refusal);
    server.script('RSET', { slowMs: 200 });
    expect(await send('m1')).toBe('rejected');
    expect(await send('m2', { waitMs: 50 })).toBe('no connection');
    expect(await send('m3')).toBe('accepted');
    expect([server.opened(), server.mostOpen()]).toEqual([1, 1]);
  });

  test('while the server answers QUIT, after 100 mails', async () => {
    const { server, send } = await setUp();
    for (let mail = 0; mail < 100; mail += 1) await send(`m${mail}`);
    server.script('QUIT', { slowMs: 200 });
    const outcomes = [await send('m100'), await send('m101', { waitMs: 50 }), await send('m102')];
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
    expect([server.opened(), server.mostOpen()]).toEqual([2, 1]);
  });

  test.concurrent('and is closed when the server does not answer RSET', async () => {
    const { server, send } = await setUp();
    server.script('RCPT', refusal);
    server.script('RSET', { hang: true });
    expect(await send('m1')).toBe('rejected');
    expect(await send('m2')).toBe('accepted');
    expect([server.opened(), server.mostOpen()]).toEqual([2, 1]);
  }, 15_000);
});

test('a mail whose deadline has passed is not sent later', async () => {
  const { server, send } = await setUp();
  server.script('MAIL', { hang: true });
  expect(await send('m1', { deadlineMs: 50 })).toBe('retry');
  expect(await send('m2')).toBe('accepted');
  await sleep(300);
  expect(server.mails).toEqual(['<m2@example.com>']);
});

test('whatever servers do, connections stay within their limit and no mail is sent twice', async () => {
  const step = fc.oneof(
    fc.constant<RawStep>(refusal),
    fc.constant<RawStep>({ reply: '421 4.3.2 Closing' }),
    fc.constant<RawStep>({ slowMs: 20 }),
    fc.constant<RawStep>({ hang: true }),
    fc.constant<RawStep>({ drop: true }),
  );
  const verb = fc.constantFrom('EHLO', 'MAIL', 'RCPT', 'DATA', 'RSET', 'end' as const);
  const faults = fc.array(fc.tuple(verb, step), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      faults,
      async (maxConnections, drawnFaults) => {
        const { server, send } = await setUp({ maxConnections });
        // A hanging RSET takes 5 s; the test above covers it. The first mail loads the library.
        await send('first');
        for (const [at, what] of drawnFaults)
          if (at !== 'RSET' || !('hang' in what)) server.script(at, what);
        const ids = Array.from({ length: 12 }, (_, number) => `m${number}`);
        const outcomes = await Promise.all(ids.map((id) => send(id, { deadlineMs: 700 })));
        expect(server.mostOpen()).toBeLessThanOrEqual(maxConnections);
        const isSent = (_: string, at: number) => outcomes[at] === 'accepted';
        const arrivals = ids.map((id) => server.mails.filter((mail) => mail.startsWith(`<${id}@`)));
        expect(arrivals.filter(({ length }) => length > 1)).toEqual([]);
        expect(
          arrivals.filter((mail, at) => outcomes[at] === 'accepted' && mail.length !== 1),
        ).toEqual([]);
        expect(ids.filter(isSent).length + drawnFaults.length).toBeGreaterThanOrEqual(ids.length);
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
}, 120_000);

test.concurrent('fetching a slow attachment does not use up the deadline', async () => {
  const { server, sender, call } = await setUp();
  const files = createServer((_, response) => setTimeout(() => response.end('file'), 2_500));
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => files.close(() => resolve())));
  const { port } = files.address() as AddressInfo;
  const attachments = [{ fileName: 'a.txt', url: `http://127.0.0.1:${port}/a` }];
  const withFile = call('m1', { content: { ...plain, attachments } });
  const prepared = await sender.prepare?.(withFile, AbortSignal.timeout(30_000));
  if (!prepared || 'outcome' in prepared) throw new Error('Not prepared');
  const deadline = { signal: AbortSignal.timeout(2_000), deadlineAt: 0 };
  expect((await prepared.send(deadline)).outcome).toMatchObject({ outcome: 'accepted' });
  expect(server.mails).toHaveLength(1);
});

describe('connections counted per host', () => {
  /** Grants up to `max` connections, first come, first served. */
  function createCount(max: number) {
    const open = new Set<string>();
    const waitingIds = new Set<string>();
    const hostConnections: HostConnections = {
      async take(host, id) {
        expect(host).toBe('127.0.0.1');
        if (!open.has(id) && open.size >= max) {
          waitingIds.add(id);
          return 'refused';
        }
        open.add(id);
        waitingIds.delete(id);
        return waitingIds.size > 0 ? 'wanted' : 'granted';
      },
      release(_, id) {
        open.delete(id);
        waitingIds.delete(id);
      },
    };
    return { open, wanted: waitingIds, hostConnections };
  }

  test('stay within the limit of the host, and each is released', async () => {
    const count = createCount(2);
    const { server, send } = await setUp({ maxConnections: 5, ...count });
    server.script('end', ...Array.from({ length: 12 }, () => ({ slowMs: 50 })));
    const ids = Array.from({ length: 12 }, (_, number) => `m${number}`);
    expect(await Promise.all(ids.map((id) => send(id)))).toEqual(ids.map(() => 'accepted'));
    expect(server.mostOpen()).toBe(2);
    // An idle connection is closed after 1 s.
    await eventually(() => expect([count.open.size, count.wanted.size]).toEqual([0, 0]), {
      timeoutMs: 5_000,
    });
  }, 15_000);

  test('are not requested by mails that stopped waiting', async () => {
    const count = createCount(0);
    const { server, send } = await setUp(count);
    expect(await send('m1', { waitMs: 50 })).toBe('no connection');
    expect([server.opened(), count.wanted.size]).toEqual([0, 0]);
  });
});
