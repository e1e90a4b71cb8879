import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type CallDeps, createCall } from './call';
import { BelfryError } from './errors';
import type { Fetch } from './options';

type Step = Response | Error | 'hang';

const operation = {
  name: 'events.send',
  method: 'POST',
  path: '/events/send',
  body: { event: 'e' },
} as const;
const respondOk = () => Response.json({ request_id: 'r' });
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json(
    { success: false, error: `it is ${code}`, code, errors: ['a b'], request_id: 'call-1' },
    { status, headers },
  );

/** A call with scripted attempts, on a clock that only waiting advances. */
function setUp(steps: Step[], changes: Partial<CallDeps> = {}) {
  const sent: { key: string | null; body: unknown; limit: AbortSignal | null | undefined }[] = [];
  const waits: number[] = [];
  let nowMs = 0;
  let keys = 0;
  const fetch: Fetch = async (_url, { headers, body, signal }) => {
    sent.push({ key: new Headers(headers).get('idempotency-key'), body, limit: signal });
    const step = steps.shift() ?? respondOk();
    if (step === 'hang') return new Promise<never>(() => {});
    if (step instanceof Error) throw step;
    return step;
  };
  const call = createCall({
    appUrl: 'https://notify.example.com/v1/apps/a',
    apiKey: 'bk_secret',
    limits: { timeoutMs: 1_000, deadlineMs: 60_000, retries: 3 },
    fetch,
    wait: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
    random: () => 0.5,
    now: () => nowMs,
    newKey: () => `key-${++keys}`,
    ...changes,
  });
  return { call, sent, waits };
}

async function getError(promise: Promise<unknown>): Promise<BelfryError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BelfryError) return error;
  throw new Error('Not a BelfryError', { cause: error });
}

const createConnectionError = () =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('bk_secret'), { code: 'ECONNREFUSED' }),
  });

test('all attempts of a call have the same key and bytes, and the next call has another key', async () => {
  const { call, sent } = setUp([
    createConnectionError(),
    problem(503, 'unavailable'),
    respondOk(),
    respondOk(),
  ]);
  await expect(call(operation)).resolves.toEqual({ request_id: 'r' });
  await call(operation);
  expect(sent.map(({ key }) => key)).toEqual(['key-1', 'key-1', 'key-1', 'key-2']);
  expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['{"event":"e"}']));
});

test('uses the key of the caller', async () => {
  const { call, sent } = setUp([createConnectionError()]);
  await call(operation, { idempotencyKey: 'order-1' });
  expect(sent.map(({ key }) => key)).toEqual(['order-1', 'order-1']);
});

/** The raw head of the first request that a server receives. */
async function readSentHead(makeCall: (appUrl: string) => Promise<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const server = createTcpServer((socket) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await makeCall(`http://127.0.0.1:${port}`).finally(() => server.close());
  return Buffer.concat(chunks);
}

test('sends each allowed character of a key as one byte', async () => {
  const codes = [0x09, ...Array.from({ length: 0x100 - 0x20 }, (_, at) => at + 0x20)];
  const carried = codes.filter((code) => code !== 0x7f);
  for (const at of [0, 100, 150]) {
    const idempotencyKey = `k${String.fromCharCode(...carried.slice(at, at + 100))}k`;
    const head = await readSentHead((appUrl) => {
      const { call } = setUp([], { appUrl, fetch });
      return call(operation, { idempotencyKey });
    });
    const value = /^idempotency-key: (.*)\r$/im.exec(head.toString('latin1'))?.[1];
    expect(value).toBe(idempotencyKey);
  }
});

test('waits grow, and Retry-After takes precedence', async () => {
  const steps = [
    createConnectionError(),
    problem(409, 'idempotency_conflict', { 'Retry-After': '1' }),
    problem(429, 'rate_limited', { 'Retry-After': '7' }),
  ];
  const { call, waits } = setUp(steps);
  await call(operation);
  expect(waits).toEqual([250, 1_000 + 500, 7_000 + 1_000]);
});

test('throws the last failure after the last retry', async () => {
  const { call, sent } = setUp([
    createConnectionError(),
    createConnectionError(),
    createConnectionError(),
    problem(503, 'unavailable'),
  ]);
  const error = await getError(call(operation));
  expect(sent).toHaveLength(4);
  expect(error).toMatchObject({ status: 503, code: 'unavailable', isRetryable: true, attempts: 4 });
  expect(error.idempotencyKey).toBe('key-1');
});

test('does not retry a stored 500', async () => {
  const replay = problem(500, 'internal', { 'Idempotent-Replayed': 'true' });
  const { call, sent } = setUp([problem(500, 'internal'), replay]);
  const error = await getError(call(operation));
  expect(sent).toHaveLength(2);
  expect(error).toMatchObject({ status: 500, code: 'internal', isRetryable: false });
});

test('throws a refusal at once, with the message of the gateway', async () => {
  const { call, sent } = setUp([problem(422, 'validation_failed')]);
  const error = await getError(call(operation));
  expect(sent).toHaveLength(1);
  expect(error).toMatchObject({
    name: 'BelfryError',
    message: 'events.send: it is validation_failed (422 validation_failed)',
    status: 422,
    code: 'validation_failed',
    requestId: 'call-1',
    details: ['a b'],
    isRetryable: false,
    attempts: 1,
  });
});

test('throws before a wait that would exceed the deadline, with the requested wait', async () => {
  const { call, waits } = setUp([problem(503, 'unavailable', { 'Retry-After': '60' })]);
  const error = await getError(call(operation));
  expect(waits).toEqual([]);
  expect(error).toMatchObject({ code: 'unavailable', isRetryable: true, retryAfterMs: 60_000 });
});

test('an attempt without an answer times out, is aborted, and is retried', async () => {
  const { call, sent } = setUp(['hang']);
  await call(operation, { timeoutMs: 5 });
  expect(sent.map(({ limit }) => limit?.aborted)).toEqual([true, true]);
});

test('an attempt ends at the deadline if that is earlier than its timeout', async () => {
  const { call, sent } = setUp(['hang'], { now: () => 0 });
  const error = await getError(call(operation, { deadlineMs: 5, retries: 0 }));
  expect(error).toMatchObject({ code: 'timeout', status: undefined, isRetryable: true });
  expect(sent).toHaveLength(1);
});

test('a truncated body counts as no answer', async () => {
  const brokenResponse = new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{"request_'));
        controller.error(new Error('terminated'));
      },
    }),
  );
  const { call, sent } = setUp([brokenResponse]);
  await expect(call(operation)).resolves.toEqual({ request_id: 'r' });
  expect(sent).toHaveLength(2);
});

test.each([
  [200, '<html>hello</html>'],
  [200, '"text"'],
  [302, ''],
])('an answer that is not from the gateway is an error: %s %s', async (status, body) => {
  const { call, sent } = setUp([new Response(body, { status })]);
  const error = await getError(call(operation));
  expect(error).toMatchObject({ status, code: 'unexpected_answer', isRetryable: false });
  expect(sent).toHaveLength(1);
});

const redirects = [301, 302, 303, 307, 308];

test.each(redirects)('a redirect with %d is not followed', async (status) => {
  const requestedUrls: unknown[] = [];
  const server = createServer(({ url, headers }, res) => {
    requestedUrls.push(url);
    const port = headers.host?.split(':')[1];
    res.writeHead(status, { Location: `http://localhost:${port}/elsewhere` }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { call } = setUp([], { appUrl: `http://127.0.0.1:${port}/v1/apps/a`, fetch });
  const error = await getError(call(operation)).finally(() => server.close());
  expect(error).toMatchObject({ status, isRetryable: false, attempts: 1 });
  expect(requestedUrls).toEqual(['/v1/apps/a/events/send']);
});

test('retries after an error page of a proxy', async () => {
  const { call, sent } = setUp([new Response('<html>Bad gateway</html>', { status: 502 })]);
  await call(operation);
  expect(sent).toHaveLength(2);
});

describe('the signal of the caller', () => {
  test('aborts a call before anything is sent', async () => {
    const { call, sent } = setUp([]);
    const error = await getError(call(operation, { signal: AbortSignal.abort('enough') }));
    expect(error).toMatchObject({ code: 'aborted', isRetryable: false, cause: 'enough' });
    expect(sent).toEqual([]);
  });

  test('aborts an attempt', async () => {
    const { call, sent } = setUp(['hang']);
    const controller = new AbortController();
    const pendingError = getError(call(operation, { signal: controller.signal }));
    controller.abort();
    expect(await pendingError).toMatchObject({ code: 'aborted' });
    expect(sent.map(({ limit }) => limit?.aborted)).toEqual([true]);
  });

  test('aborts a wait', async () => {
    const wait = () => Promise.reject(new Error('aborted'));
    const { call, sent } = setUp([createConnectionError()], { wait });
    expect(await getError(call(operation))).toMatchObject({ code: 'aborted', attempts: 1 });
    expect(sent).toHaveLength(1);
  });
});

test('no error shows the API key, the path or the body', async () => {
  const { call } = setUp([createConnectionError()]);
  const error = await getError(call(operation, { retries: 0 }));
  expect(error.message).toBe('events.send: no answer: ECONNREFUSED (network_error)');
});
