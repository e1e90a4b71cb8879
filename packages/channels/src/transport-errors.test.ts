import { createServer, type Server } from 'node:net';
import tls from 'node:tls';
import { createSmtpSimulator, findClosedPort } from '@belfry/testing';
import { smtpSubject } from './email/smtp.subject.fixture';
import { expiredTls } from './expired-tls.fixture';
import { createHttp } from './http';
import { classifyFailure, describeTransportError, isNoAnswer } from './network-failure';
import { closers, deps } from './provider-subject.fixture';
import { createGuardedLookup, type Resolve } from './public-address';

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Place = { host: string; port: number; secure?: boolean };

const deadlineMs = 5_000;
const resolveNothing: Resolve = (_name, _options, done) => done(null, []);

/** The sentence of each way to reach a provider: an HTTP call, a mail, and a test of a mail server. */
async function describeEach(place: Place, timeoutMs = deadlineMs): Promise<(string | undefined)[]> {
  const sender = smtpSubject.provider.createSender(
    Object.assign({ resolve: resolveNothing }, deps),
  );
  closers.push(sender.close);
  const from = { address: 'noreply@example.com' };
  const input = { settings: { ...place, require_tls: false, from }, credentials: {} };
  const content = { subject: '', text: '', cc: [], bcc: [], attachments: [], headers: {} };
  const call = { ...input, messageId: 'm', target: 'ada@example.org', content };
  const integration = { integrationId: 'i', integrationVersion: '1' };
  const deadlineAt = Date.now() + timeoutMs;
  const signal = () => AbortSignal.timeout(timeoutMs);
  const sent = await sender.send({ ...call, ...integration, signal: signal(), deadlineAt });
  const tested = await sender.test({ ...input, signal: signal() });
  return [await describeHttp(place, signal()), sent.outcome.detail, tested.detail];
}

/** The URL has a user, a password, a path and a query, which must not be in the sentence. */
async function describeHttp({ host, port, secure }: Place, signal: AbortSignal) {
  const http = createHttp({
    lookup: createGuardedLookup({ ...deps, resolve: resolveNothing }),
  });
  closers.push(async () => http.close());
  const url = `${secure ? 'https' : 'http'}://user:pass@${host}:${port}/botTOKEN/send?key=secret`;
  const result = await http.request({ method: 'GET', url, signal });
  if ('status' in result) throw new Error('It was answered');
  return classifyFailure(result).detail;
}

async function listen(server: Server): Promise<Place> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(() => resolve())));
  server.on('connection', (socket) => closers.push(async () => void socket.destroy()));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return { host: '127.0.0.1', port: address.port };
}

async function listenWithExpiredCertificate(): Promise<Place> {
  const server = tls.createServer(expiredTls);
  return { ...(await listen(server)), secure: true };
}

describe('a transport error is the same sentence with host and port everywhere', () => {
  test('when the port is closed', async () => {
    const place = { host: '127.0.0.1', port: await findClosedPort() };
    const sentence = `127.0.0.1:${place.port} refused the connection.`;
    expect(await describeEach(place)).toEqual([sentence, sentence, sentence]);
  });

  test('when the name does not exist', async () => {
    const sentence = 'The DNS name of smtp.example.org:2525 was not found.';
    const sentences = await describeEach({ host: 'smtp.example.org', port: 2525 });
    expect(sentences).toEqual([sentence, sentence, sentence]);
  });

  test('when the certificate has expired', async () => {
    const place = await listenWithExpiredCertificate();
    const sentence = `The TLS certificate of 127.0.0.1:${place.port} has expired.`;
    expect(await describeEach(place)).toEqual([sentence, sentence, sentence]);
  });

  test('when the server never answers', async () => {
    const place = await listen(createServer());
    const sentence = new RegExp(
      `^127\\.0\\.0\\.1:${place.port} did not answer: timed out after \\d{2,3} ms\\.$`,
    );
    const each = expect.stringMatching(sentence);
    expect(await describeEach(place, 200)).toEqual([each, each, each]);
  });

  test('when the server speaks no TLS', async () => {
    const place = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined).end('220 plain text\r\n');
      }),
    );
    const sentences = await describeEach({ ...place, secure: true });
    for (const sentence of sentences) {
      expect(sentence).toMatch(`The TLS connection to 127.0.0.1:${place.port} failed (ERR_SSL_`);
    }
  });
});

test('a mail server that refuses the login is named with its reply code, in a send and in a test', async () => {
  const simulator = await createSmtpSimulator({ login: { user: 'u', pass: 'right' } });
  closers.push(simulator.close);
  const stage = await smtpSubject.start();
  const { call, sender } = stage;
  const settings = { ...call.settings, port: simulator.port };
  const credentials = { user: 'u', pass: 'wrong-password' };
  const signal = AbortSignal.timeout(deadlineMs);
  const send = { ...call, settings, credentials, integrationVersion: 'wrong', signal };
  const sent = await sender.send({ ...send, deadlineAt: Date.now() + deadlineMs });
  const detail = `127.0.0.1:${simulator.port} replied 535. The mail server refused the user name or password.`;
  expect(sent.outcome).toMatchObject({ outcome: 'rejected', scope: 'integration', detail });
  expect(await sender.test({ settings, credentials, signal })).toEqual({
    isWorking: false,
    detail,
  });
});

test.each([
  [9_996, '10 s'],
  [10_049, '10 s'],
  [1_250, '1.3 s'],
  [850.4, '850 ms'],
])('a timeout of %s ms is written as %s', (elapsedMs, text) => {
  const detail = describeTransportError({ code: 'ABORT_ERR', endpoint: 'a:443', elapsedMs });
  expect(detail).toBe(`a:443 did not answer: timed out after ${text}.`);
});

test('no answer is told from a refusal by the reason', () => {
  for (const reason of ['connection_refused', 'host_not_found', 'tls', 'timeout', 'unreachable']) {
    expect(isNoAnswer(reason)).toBe(true);
  }
  for (const reason of [
    'credentials_refused',
    'http_503',
    'unreadable_answer',
    'private_address',
  ]) {
    expect(isNoAnswer(reason)).toBe(false);
  }
});
