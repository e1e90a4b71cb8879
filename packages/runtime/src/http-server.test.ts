import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { createHttpServer, type HttpServerOptions } from './http-server';
import { testTls } from './test-tls.fixture';

const root = path.resolve(__dirname, '..', '..', '..');

function readPackage(folder: string): { version: string } {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
}

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

type Handle = HttpServerOptions['handle'];

const answerOk: Handle = (_req, res) => {
  res.writeHead(200, ['Content-Length', '2']);
  res.end('ok');
};

/** A server, the requests it handled, and a function that sends bytes and resolves with the response. */
async function start({ handle = answerOk, isTrusted = false, isTls = false } = {}) {
  const handled: string[] = [];
  const opened = createHttpServer({
    ...(isTls ? { tls: testTls } : {}),
    isTrustedProxy: () => isTrusted,
    maxConnections: 100,
    handle(req, res) {
      handled.push(`${req.method} ${req.url}`);
      handle(req, res);
    },
    refuse: ({ code }) => {
      const body = JSON.stringify({ code });
      return { headers: { 'Content-Length': String(body.length) }, body };
    },
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  // Safe cast: a server on a port has an address with a port.
  const { port } = opened.address() as AddressInfo;
  const place = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const connect = () =>
    (isTls ? tls.connect(place) : net.connect(place)).on('error', () => undefined);
  return { handled, connect, exchange: (bytes: string) => readAll(connect(), bytes) };
}

async function readAll(socket: Socket, bytes: string): Promise<string> {
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

const host = 'Host: h\r\n';
const chunkedBody = '3\r\nabc\r\n0\r\n\r\n';

function head(headers: string, version = '1.1'): string {
  return `POST /a HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`;
}

describe('an invalid HTTP request', () => {
  test.each([
    ['gzip, chunked', 'Transfer-Encoding: gzip, chunked\r\n'],
    ['gzip, chunked on two lines', 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n'],
    ['gzip', 'Transfer-Encoding: gzip\r\n'],
    ['identity', 'transfer-encoding: identity\r\n'],
    ['chunked, gzip', 'Transfer-Encoding: chunked, gzip\r\n'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
    ['chunked with a parameter', 'Transfer-Encoding: chunked;a=1\r\n'],
    ['an empty value', 'Transfer-Encoding: \r\n'],
    ['behind 3,000 headers', `${'a:\r\n'.repeat(3_000)}Transfer-Encoding: gzip, chunked\r\n`],
  ])('gets one 501 response for a Transfer-Encoding of %s', async (_, headers) => {
    const { handled, exchange } = await start();
    const text = await exchange(`${head(host + headers)}${chunkedBody}`);
    expect(text.match(/HTTP\/1\.1 .*/g)).toEqual(['HTTP/1.1 501 Not Implemented']);
    expect(text).toContain('{"code":"unsupported_transfer_encoding"}');
    expect(handled).toEqual([]);
  });

  test.each([
    ['two Host headers', `${host}${host}`],
    ['two Host headers in another letter case', `${host}HOST: h\r\n`],
    ['a second Host header behind 3,000 others', `${host}${'a:\r\n'.repeat(3_000)}Host: i\r\n`],
    ['no Host header', ''],
    ['an empty Host header', 'Host: \r\n'],
    ['a Host with a path', 'Host: h/a\r\n'],
    ['a Host with a user', 'Host: u@h\r\n'],
    ['a Host with a space', 'Host: h i\r\n'],
    ['a list of hosts', 'Host: h, i\r\n'],
    ['a Host with a wrong port', 'Host: h:port\r\n'],
    ['an encoded Host', 'Host: h%00\r\n'],
    ['a Host over 253 characters', `Host: ${'h'.repeat(254)}\r\n`],
    [
      'both a length and a transfer coding',
      `${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n`,
    ],
    ['two lengths', `${host}Content-Length: 3\r\nContent-Length: 4\r\n`],
  ])('gets one 400 response for %s', async (_, headers) => {
    const { handled, exchange } = await start();
    const text = await exchange(head(headers));
    expect(text.match(/HTTP\/1\.1 .*/g)).toEqual(['HTTP/1.1 400 Bad Request']);
    expect(text).toContain('{"code":"bad_request"}');
    expect(handled).toEqual([]);
  });

  test('gets a 400 response for a Transfer-Encoding in HTTP/1.0', async () => {
    const { exchange } = await start();
    const text = await exchange(`${head('Transfer-Encoding: chunked\r\n', '1.0')}${chunkedBody}`);
    expect(text).toContain('HTTP/1.1 400 ');
  });

  test('ends its connection: later requests on it are not handled', async () => {
    const { handled, exchange } = await start();
    const first = `POST /a HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n${chunkedBody}`;
    const text = await exchange(`${first}GET /b HTTP/1.1\r\n${host}\r\n`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 501']);
    expect(handled).toEqual([]);
  });
});

describe('a valid HTTP request', () => {
  test.each([
    ['a name', 'Host: notify.example.com\r\n', '1.1'],
    ['a name with a port', 'Host: notify.example.com:8443\r\n', '1.1'],
    ['an IPv4 address', 'Host: 127.0.0.1:80\r\n', '1.1'],
    ['an IPv6 address', 'Host: [2001:db8::1]:80\r\n', '1.1'],
    ['no Host in HTTP/1.0', '', '1.0'],
    ['chunks', `${host}Transfer-Encoding: Chunked\r\n`, '1.1'],
  ])('is handled: %s', async (_, headers, version) => {
    const { exchange } = await start();
    const body = headers.includes('Chunked') ? chunkedBody : '';
    expect(await exchange(`${head(headers, version)}${body}`)).toContain('HTTP/1.1 200 OK');
  });
});

describe('every response', () => {
  const byArray = answerOk;
  const byObject: Handle = (_req, res) => res.writeHead(200, { 'X-A': 'a' }).end('ok');
  const byNothing: Handle = (_req, res) => res.end('ok');
  const withReason: Handle = (_req, res) => res.writeHead(200, 'Fine', { 'X-A': 'a' }).end();
  const bySetting: Handle = (_req, res) => {
    res.setHeader('X-B', 'b');
    res.writeHead(200, ['X-A', 'a']).end('ok');
  };

  test.each<[string, Handle, string]>([
    ['with a list of headers', byArray, head(host)],
    ['with an object of headers', byObject, head(host)],
    ['without headers', byNothing, head(host)],
    ['with a reason', withReason, head(host)],
    ['with headers set earlier', bySetting, head(host)],
    ['to a refused request', byArray, head('')],
    ['to an unparsable request', byArray, 'nonsense\r\n\r\n'],
    ['to CONNECT', byArray, `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`],
  ])('has nosniff and the version once: %s', async (_, handle, bytes) => {
    const { exchange } = await start({ handle });
    const text = await exchange(bytes);
    expect(text.match(/x-content-type-options: nosniff\r\n/gi)).toHaveLength(1);
    expect(text.match(/x-belfry-version: .*\r\n/gi)).toEqual([
      `X-Belfry-Version: ${readPackage('.').version}\r\n`,
    ]);
    expect(text).not.toMatch(/strict-transport-security/i);
  });

  test.each([
    ['answered', host],
    ['refused', `${host}${host}`],
  ])('has Strict-Transport-Security if a trusted proxy received HTTPS: %s', async (_, headers) => {
    const bytes = head(`${headers}X-Forwarded-Proto: https\r\n`);
    const trusting = await start({ isTrusted: true });
    expect(await trusting.exchange(bytes)).toContain(
      'Strict-Transport-Security: max-age=31536000\r\n',
    );
    expect(await trusting.exchange(head(headers))).not.toContain('Strict-Transport');
  });

  test.each([
    ['answered', head(host)],
    ['refused', head('')],
    ['unparsable', 'nonsense\r\n\r\n'],
  ])('has Strict-Transport-Security if this process serves TLS: %s', async (_, bytes) => {
    const { exchange } = await start({ isTls: true });
    expect(await exchange(bytes)).toContain('Strict-Transport-Security: max-age=31536000\r\n');
  });

  test('has no Strict-Transport-Security if an untrusted peer claims HTTPS', async () => {
    const { exchange } = await start();
    const text = await exchange(head(`${host}X-Forwarded-Proto: https\r\n`));
    expect(text).not.toContain('Strict-Transport');
  });
});

test('all packages of the repository have the same version', () => {
  const packages = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => readPackage(path.join(folder, name))),
  );
  expect([...new Set(packages.map(({ version }) => version))]).toEqual([readPackage('.').version]);
});

describe('a response that is queued behind another one on its connection', () => {
  test('emits close once when the connection closes, like the one before it', async () => {
    const closed: string[] = [];
    let arrived = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const handle = (req: IncomingMessage, res: ServerResponse) => {
      res.on('close', () => closed.push(String(req.url)));
      if (req.url === '/2') res.end('written, but never sent');
      if (req.url === '/3') arrived();
    };
    const { connect } = await start({ handle });
    const disconnected = once(server as Server, 'connection').then(([theirs]) =>
      once(theirs, 'close'),
    );
    const socket = connect();
    for (const each of [1, 2, 3]) socket.write(`GET /${each} HTTP/1.1\r\n${host}\r\n`);
    await all;
    socket.destroy();
    await disconnected;
    await new Promise(setImmediate);
    expect(closed.sort()).toEqual(['/1', '/2', '/3']);
  });
});
