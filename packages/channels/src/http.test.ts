import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { classifyStatus, createHttp, type Http, retryAfterMs, withDefaultWait } from './http';
import { classifyFailure } from './network-failure';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

function openHttp(): Http {
  const http = createHttp();
  closers.push(http.close);
  return http;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function requestFailure(url: string, body: string, deadlineMs = 20_000) {
  const signal = AbortSignal.timeout(deadlineMs);
  const result = await openHttp().request({ method: 'POST', url, body, signal });
  if ('status' in result) throw new Error('It was answered');
  return { ...result, ...classifyFailure(result) };
}

describe('a request that gets no response', () => {
  /** More than the socket buffers of both sides hold. */
  const large = 'x'.repeat(32 * 1024 * 1024);

  test('is certainly not sent when the connection broke before it was written', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    expect(await requestFailure(await listen(server), large)).toMatchObject({
      isWritten: false,
      outcome: 'retry',
      reason: 'connection_lost',
    });
  });

  test('is certainly not sent when the deadline came before it was written', async () => {
    const server = createServer((socket) => {
      socket.pause();
      closers.push(() => socket.destroy());
    });
    expect(await requestFailure(await listen(server), large, 200)).toMatchObject({
      isWritten: false,
      outcome: 'retry',
      reason: 'timeout',
    });
  });

  test.each([
    ['a reset', (end: { resetAndDestroy(): void }) => end.resetAndDestroy(), 'connection_lost'],
    ['an end', (end: { end(): void }) => end.end(), 'connection_lost'],
    [
      'no HTTP',
      (end: { write(text: string): void }) => end.write('oops\r\n\r\n'),
      'unreadable_answer',
    ],
  ])('is unknown after %s, once it was written', async (_how, answer, reason) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    expect(await requestFailure(await listen(server), 'x')).toMatchObject({
      isWritten: true,
      outcome: 'unknown',
      reason,
    });
  });

  test('is unknown when the deadline comes after it was written', async () => {
    const server = createServer((socket) => {
      closers.push(() => socket.destroy());
    });
    expect(await requestFailure(await listen(server), 'x', 150)).toMatchObject({
      outcome: 'unknown',
      reason: 'timeout',
    });
  });
});

test.each([
  ['a reset', (end: { resetAndDestroy(): void }) => end.resetAndDestroy()],
  ['an end', (end: { end(): void }) => end.end()],
  ['no HTTP', (end: { end(text: string): void }) => end.end('oops\r\n\r\n')],
  ['half a response', (end: { end(text: string): void }) => end.end('HTTP/1.1 200 OK\r\n')],
  [
    'a response that asks for a retry',
    (end: { end(text: string): void }) =>
      end.end('HTTP/1.1 408 Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  ],
])('is sent once, whatever happens: %s', async (_what, answer) => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      requests += 1;
      answer(socket);
    });
  });
  const url = await listen(server);
  const http = openHttp();
  for (const method of ['GET', 'POST'] as const) {
    await http.request({ method, url, signal: AbortSignal.timeout(2_000) });
  }
  // A connection that resent it would open before this one.
  await http.request({ method: 'GET', url, signal: AbortSignal.timeout(2_000) });
  expect(requests).toBe(3);
});

test.each(['connection: close', 'x-other: 1'])(
  'reopens a connection that was closed between two requests: %s',
  async (header) => {
    const answer = `HTTP/1.1 200 OK\r\n${header}\r\ncontent-length: 2\r\n\r\nok`;
    const closed: Promise<unknown>[] = [];
    const server = createServer((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(answer));
    });
    const url = await listen(server);
    const http = openHttp();
    for (const body of ['a', 'b', 'c']) {
      const signal = AbortSignal.timeout(2_000);
      const response = await http.request({ method: 'POST', url, body, signal });
      expect(response).toMatchObject({ status: 200, body: Buffer.from('ok') });
      await Promise.all(closed);
    }
    expect(closed).toHaveLength(3);
  },
);

test('nothing is sent after the deadline, even if the connection opens later', async () => {
  let bytes = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
  });
  const url = await listen(server);
  const ending = new AbortController();
  const http = openHttp();
  const request = http.request({ method: 'POST', url, body: 'x', signal: ending.signal });
  ending.abort();
  expect(await request).toMatchObject({ code: 'ABORT_ERR', isWritten: false });
  const late = await http.request({ method: 'POST', url, body: 'x', signal: ending.signal });
  expect(late).toMatchObject({ code: 'ABORT_ERR', isWritten: false });
  const timedOutRequest = await http.request({
    method: 'GET',
    url,
    signal: AbortSignal.timeout(200),
  });
  expect(timedOutRequest).toMatchObject({ code: 'ABORT_ERR', isWritten: true });
  expect(bytes).toBeLessThan(200);
});

test('a request reuses the connection of the previous one', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    closers.push(() => socket.destroy());
  });
  const url = await listen(server);
  const http = openHttp();
  for (const body of ['a', 'b', 'c']) {
    const signal = AbortSignal.timeout(1_000);
    expect(await http.request({ method: 'POST', url, body, signal })).toMatchObject({
      status: 200,
    });
  }
  expect(connections).toBe(1);
});

test('stops reading a response over its size limit', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(5_000)}`));
  });
  const url = await listen(server);
  const signal = AbortSignal.timeout(1_000);
  const result = await openHttp().request({ method: 'GET', url, signal, maxResponseBytes: 1_000 });
  expect(result).toMatchObject({ code: 'ERESPONSETOOLARGE', isWritten: true });
});

test.each([
  [301, 'retry'],
  [400, 'rejected content'],
  [401, 'rejected integration'],
  [403, 'rejected integration'],
  [404, 'rejected content'],
  [408, 'retry'],
  [429, 'retry, slows integration'],
  [500, 'unknown'],
  [502, 'unknown'],
  [503, 'retry'],
  [504, 'unknown'],
  [599, 'unknown'],
])('status %i is %s by default', (status, expected) => {
  const outcome = classifyStatus(status, {});
  const scope = outcome.outcome === 'rejected' ? ` ${outcome.scope}` : '';
  const slows = 'slows' in outcome ? `, slows ${outcome.slows}` : '';
  expect(`${outcome.outcome}${scope}${slows}`).toBe(expected);
});

const retry = { outcome: 'retry', reason: 'a' } as const;

test.each([
  ['is added to a 429 without a wait', retry, 429, { ...retry, afterMs: 30_000 }],
  ['leaves another wait', { ...retry, afterMs: 7 }, 429, { ...retry, afterMs: 7 }],
  ['is for no other status', retry, 503, retry],
  ['is for no other outcome', { ...retry, outcome: 'unknown' } as const, 429, undefined],
])('a default wait %s', (_title, outcome, status, expected) => {
  expect(withDefaultWait(outcome, { status, waitMs: 30_000 })).toEqual(expected ?? outcome);
});

test.each([
  ['7', 7_000],
  ['0', 1_000],
  ['0.5', 1_000],
  ['1.2', 1_200],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 1960 00:01:00 GMT', 1_000],
  ['soon', undefined],
  ['', undefined],
])('Retry-After %j means %s ms', (header, expected) => {
  expect(retryAfterMs({ 'retry-after': header }, 0)).toBe(expected);
});

test.each([
  ['ECONNREFUSED', 'connection_refused'],
  ['ENOTFOUND', 'host_not_found'],
  ['EAI_AGAIN', 'host_not_found'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
])('%s is certainly not sent, written or not', (code, reason) => {
  for (const isWritten of [true, false]) {
    const failure = { code, isWritten, endpoint: 'example.org:443', elapsedMs: 1 };
    expect(classifyFailure(failure)).toMatchObject({ outcome: 'retry', reason });
  }
});
