import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { AppError } from '@belfry/shared';
import {
  appId,
  close,
  connect,
  createGateway,
  listen,
  parseBody,
  sendPath,
} from './gateway.fixture';
import { closeServer, listen as listenAt } from './server';

// The only way to inspect how V8 stores an object.
setFlagsFromString('--allow-natives-syntax');
const hasFastMembers = new Function('object', 'return %HasFastProperties(object)');

type Gateway = ReturnType<typeof createGateway>;

let open: Server | undefined;
afterEach(async () => {
  if (open) await close(open);
  open = undefined;
});

/** A gateway on a port, with the bytes that its connections have read so far. */
async function start(changes: Parameters<typeof createGateway>[0] = {}) {
  const gateway = createGateway(changes);
  const sockets: Socket[] = [];
  gateway.server.on('connection', (socket: Socket) => sockets.push(socket));
  open = gateway.server;
  const port = await listen(gateway.server);
  return { gateway, port, readBytes: () => sockets.reduce((sum, one) => sum + one.bytesRead, 0) };
}

function head(gateway: Gateway, ...headers: string[]): string {
  return [
    `POST ${sendPath} HTTP/1.1`,
    'Host: h',
    `Authorization: ${gateway.auth}`,
    'Content-Type: application/json',
    'Connection: close',
    ...headers,
    '',
    '',
  ].join('\r\n');
}

const body = '{"event":"e"}';

describe('a body of 10 MB without a key', () => {
  test('gets 401 before any of it is sent', async () => {
    const { port, readBytes } = await start();
    const { socket, answer } = connect(port);
    const headers = `POST ${sendPath} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n`;
    const first = new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    socket.write(headers);
    expect(await first).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: close\r\n/s);
    expect(readBytes()).toBe(headers.length);
    socket.end();
    await answer;
  });

  test('gets 401 even if the caller writes before it reads, and most of the body is never read', async () => {
    const { port, readBytes } = await start();
    const { socket, answer } = connect(port);
    socket.pause();
    socket.write(`POST ${sendPath} HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n`);
    socket.write(' '.repeat(10_000_000));
    // Enough time for a connection that is closed at once to refuse the rest.
    await wait(100);
    socket.once('data', () => socket.end()).resume();
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(readBytes()).toBeLessThan(2_000_000);
  });
});

describe('a caller that sends Expect: 100-continue', () => {
  test('gets 100 Continue only after its headers passed the checks', async () => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    const interimResponse = new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    socket.write(head(gateway, 'Expect: 100-continue', `Content-Length: ${body.length}`));
    expect(await interimResponse).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    expect(await answer).toContain('HTTP/1.1 200 OK');
  });

  test('is refused without 100 Continue', async () => {
    const { port } = await start();
    const { socket, answer } = connect(port);
    socket.write(
      `POST ${sendPath} HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 10000000\r\n\r\n`,
    );
    socket.once('data', () => socket.end());
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a chunked body', () => {
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  test('is read', async () => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    socket.write(`${head(gateway, 'Transfer-Encoding: chunked')}${chunk('{"eve')}`);
    socket.write(`${chunk('nt":"e"}')}0\r\n\r\n`);
    expect(await answer).toContain('HTTP/1.1 200 OK');
    expect(gateway.sent[0]?.eventName).toBe('e');
  });

  test('is refused as soon as it exceeds the limit', async () => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    socket.write(`${head(gateway, 'Transfer-Encoding: chunked')}${chunk(' '.repeat(20_000))}`);
    socket.write(chunk(' '));
    socket.once('data', () => socket.end());
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(parseBody(text)).toMatchObject({ code: 'body_too_large' });
    expect(gateway.sent).toEqual([]);
  });
});

describe('a body with broken chunks', () => {
  test('gets one response and frees its memory', async () => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    socket.write(`${head(gateway, 'Transfer-Encoding: chunked')}5\r\n{"eve\r\n`, () => {
      setTimeout(() => socket.write('nonsense\r\n'), 20);
    });
    const text = await answer;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(parseBody(text)).toMatchObject({ code: 'bad_request' });
    expect(gateway.sent).toEqual([]);
  });
});

describe('a body that does not arrive', () => {
  test('is awaited no longer than the limit', async () => {
    const { gateway, port } = await start({
      bodies: {
        maxBodyBytes: 20_000,
        maxBodiesInMemoryBytes: 64_000_000,
        pace: { timeoutMs: 50, windowMs: 50, minBytes: 0 },
      },
    });
    const { socket, answer } = connect(port);
    socket.write(`${head(gateway, 'Content-Length: 100')}{"event"`);
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(parseBody(text)).toMatchObject({ success: false, code: 'request_timeout' });
  });

  test('frees its memory when the caller disconnects', async () => {
    const { gateway, port } = await start();
    const { socket } = connect(port);
    const logged = new Promise<void>((resolve) => {
      gateway.server.on('request', (_req, res) => res.once('close', () => setImmediate(resolve)));
    });
    socket.write(`${head(gateway, 'Content-Length: 100')}{"event"`, () => socket.destroy());
    await logged;
    const calls = gateway.lines.filter(({ message }) => message === 'call');
    expect(calls).toMatchObject([{ outcome: 'caller_left' }]);
    expect(gateway.sent).toEqual([]);
  });
});

describe('a call that is late', () => {
  /** Emits Node's timeout error for the newest connection. */
  function emitTimeout({ server }: Gateway, socket: Socket | undefined): void {
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', late, socket);
  }

  // Found by a chaos test: a busy process returned 408 for a call that it then stored.
  test('is not accepted after it got 408', async () => {
    const { gateway, port } = await start();
    const connection = new Promise<Socket>((resolve) => gateway.server.once('connection', resolve));
    const { socket, answer } = connect(port);
    const bytes = `${head(gateway, `Content-Length: ${body.length}`)}${body}`;
    socket.write(bytes.slice(0, 30));
    const theirs = await connection;
    while (theirs.bytesRead === 0) await wait(5);
    emitTimeout(gateway, theirs);
    socket.write(bytes.slice(30));
    const text = await answer;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 408']);
    expect(gateway.sent).toEqual([]);
  });

  test('finds its connection closed without a response if nothing of it was read', async () => {
    const { gateway, port } = await start();
    gateway.server.once('connection', (socket) => emitTimeout(gateway, socket));
    const { socket, answer } = connect(port);
    socket.on('error', () => undefined);
    socket.write(`${head(gateway, `Content-Length: ${body.length}`)}${body}`);
    expect(await answer).toBe('');
    expect(gateway.sent).toEqual([]);
  });
});

describe('invalid HTTP', () => {
  test.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      `POST ${sendPath} HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
      'bad_request',
    ],
    [
      'two Host headers',
      `POST ${sendPath} HTTP/1.1\r\nHost: h\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      400,
      'bad_request',
    ],
    [
      'a transfer coding other than chunked',
      `POST ${sendPath} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      501,
      'unsupported_transfer_encoding',
    ],
    [
      'headers over 16 KB',
      `GET / HTTP/1.1\r\nHost: h\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('gets an error in the common format: %s', async (_, bytes, status, code) => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    socket.write(bytes);
    const text = await answer;
    expect(text).toContain(`HTTP/1.1 ${status} `);
    expect(text).toMatch(/\r\nContent-Type: application\/json\r\n/);
    const requestId = /\r\nX-Request-Id: (.+)\r\n/.exec(text)?.[1];
    expect(parseBody(text)).toEqual({
      success: false,
      error: expect.any(String),
      code,
      request_id: requestId,
    });
    expect(gateway.lines).toMatchObject([{ message: 'call.unreadable', request_id: requestId }]);
  });
});

describe('a call', () => {
  test.each([
    ['over HTTP/1.0 without a Host header', '1.0', ''],
    ['with an unknown Expect value', '1.1', 'Host: h\r\nExpect: wonders\r\n'],
  ])('%s is handled normally', async (_, version, headers) => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    const lines = head(gateway, `Content-Length: ${body.length}`)
      .replace('Host: h\r\n', headers)
      .replace('HTTP/1.1', `HTTP/${version}`);
    socket.write(`${lines}${body}`);
    expect(await answer).toContain('HTTP/1.1 200 OK');
  });

  test('with an absolute URL is routed by its path', async () => {
    const { gateway, port } = await start();
    const { socket, answer } = connect(port);
    const lines = head(gateway, `Content-Length: ${body.length}`);
    socket.write(
      `${lines.replace(sendPath, `http://api.example.com${sendPath}?app_id=${appId}`)}${body}`,
    );
    expect(await answer).toContain('HTTP/1.1 200 OK');
  });

  test.each([
    ['Authorization', 401, 'unauthenticated'],
    ['Idempotency-Key', 400, 'idempotency_key_invalid'],
  ])('with two %s headers is refused in either order', async (name, status, code) => {
    const { gateway, port } = await start();
    const values = name === 'Authorization' ? [gateway.auth] : ['k1', 'k1'];
    const { socket, answer } = connect(port);
    const more = values.map((value) => `${name}: ${value}`);
    socket.write(`${head(gateway, ...more, `Content-Length: ${body.length}`)}${body}`);
    const text = await answer;
    expect(text).toContain(`HTTP/1.1 ${status} `);
    expect(parseBody(text)).toMatchObject({ code });
    expect(gateway.sent).toEqual([]);
  });

  test('that is refused with a small body keeps its connection for the next call', async () => {
    const { gateway, port } = await start({
      sendEvent: () => Promise.reject(new AppError('event_not_found', 'event not found')),
    });
    const { socket, answer } = connect(port);
    const keepAlive = (text: string) => text.replace('Connection: close\r\n', '');
    socket.write(
      `${keepAlive(head(gateway, `Content-Length: ${body.length}`)).replace('AuthKey', 'Key')}${body}`,
    );
    socket.write(`${head(gateway, `Content-Length: ${body.length}`)}${body}`);
    const text = await answer;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 404']);
  });
});

describe('createApiServer', () => {
  test('gives Express requests and responses with the right prototypes', async () => {
    const { gateway, port } = await start();
    const checks: boolean[] = [];
    gateway.server.prependListener('request', (req, res) => {
      const [requestPrototype, responsePrototype] = [
        Object.getPrototypeOf(req),
        Object.getPrototypeOf(res),
      ];
      res.on('finish', () => {
        checks.push(requestPrototype === Object.getPrototypeOf(req) && 'app' in req);
        checks.push(responsePrototype === Object.getPrototypeOf(res) && 'app' in res);
      });
    });
    const { socket, answer } = connect(port);
    socket.write('GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await answer).toContain('HTTP/1.1 200 OK');
    expect(checks).toEqual([true, true]);
  });
});

describe('the request and response objects', () => {
  test('keep fast V8 properties, with and without the direct route', async () => {
    const { gateway, port } = await start();
    const fast: Record<string, boolean[]> = {};
    gateway.server.prependListener('request', (req, res) => {
      res.on('finish', () => {
        fast[req.url ?? ''] = [req, res].map((each) => hasFastMembers(each));
      });
    });
    for (const call of [`POST ${sendPath}`, 'GET /livez']) {
      const { socket, answer } = connect(port);
      socket.write(`${call} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
      await answer;
    }
    expect(fast).toEqual({ [sendPath]: [true, true], '/livez': [true, true] });
  });
});

describe('closeServer', () => {
  test('answers calls in flight, then closes keep-alive connections', async () => {
    let release = (): void => undefined;
    const { gateway, port } = await start({
      sendEvent: () =>
        new Promise((resolve) => {
          release = () => resolve({ isWritten: true });
          began();
        }),
    });
    let began = (): void => undefined;
    const inFlight = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { socket, answer } = connect(port);
    const lines = head(gateway, `Content-Length: ${body.length}`).replace(
      'Connection: close\r\n',
      '',
    );
    socket.write(`${lines}${body}`);
    await inFlight;
    const closed = closeServer(gateway.server, 10_000);
    expect(await new Promise((resolve) => connect(port).socket.on('error', resolve))).toMatchObject(
      {
        code: 'ECONNREFUSED',
      },
    );
    release();
    expect(await answer).toContain('HTTP/1.1 200 OK');
    await closed;
    open = undefined;
  });
});

describe('listen', () => {
  test('resolves with the system error if the port is unavailable', async () => {
    const { port } = await start();
    const second = createGateway().server;
    expect(await listenAt(second, { host: '127.0.0.1', port })).toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
