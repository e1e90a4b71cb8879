import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard({ TRUSTED_PROXIES: '127.0.0.1' });
});

afterAll(() => dashboard.close());

/** The raw response to a raw request head. */
async function exchange(...lines: string[]): Promise<string> {
  const { port } = dashboard.server.address() as AddressInfo;
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  let text = '';
  socket.on('data', (data) => (text += data));
  socket.write(`${[...lines, 'Connection: close', '', ''].join('\r\n')}0\r\n\r\n`);
  await once(socket, 'close');
  return text;
}

const host = 'Host: 127.0.0.1';
const byHttps = 'X-Forwarded-Proto: https';

const answers: [string, string, string[]][] = [
  ['the page', '200', ['GET / HTTP/1.1', host]],
  ['a missing file', '404', ['GET /assets/none.js HTTP/1.1', host]],
  ['health', '200', ['GET /livez HTTP/1.1', host]],
  ['the API', '200', ['GET /api/session HTTP/1.1', host]],
  ['an unknown route', '404', ['GET /api/none HTTP/1.1', host]],
  ['a call without a session', '401', ['GET /api/apps HTTP/1.1', host]],
  ['a wrong origin', '403', ['POST /api/session HTTP/1.1', host]],
  ['an unreadable target', '400', ['GET /api/session?%ff HTTP/1.1', host]],
  ['a method without a route', '404', ['PATCH / HTTP/1.1', host]],
  ['two hosts', '400', ['GET / HTTP/1.1', host, host]],
  ['no host', '400', ['GET / HTTP/1.1']],
  ['another coding', '501', ['POST / HTTP/1.1', host, 'Transfer-Encoding: gzip, chunked']],
];

test.each(answers)('%s is answered %s with nosniff', async (_what, status, lines) => {
  const text = await exchange(...lines);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(text).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
  expect(text).toMatch(/\r\nX-Belfry-Version: \d+\.\d+\.\d+\r\n/i);
  expect(text).not.toMatch(/\r\nStrict-Transport-Security/i);
});

test.each(answers)('%s is answered %s over HTTPS with HSTS', async (...answer) => {
  const text = await exchange(...answer[2], byHttps);
  expect(text).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
  expect(text).toMatch(/\r\nStrict-Transport-Security: max-age=31536000\r\n/i);
});

test('invalid HTTP is answered 400 in JSON with nosniff', async () => {
  const text = await exchange('GET / HTTP/1.1', host, 'a b: c');
  expect(text).toMatch(/^HTTP\/1\.1 400 .*nosniff.*"success":false.*"code":"bad_request"/s);
});

test('slow headers and bodies time out as in the gateway', () => {
  const { headersTimeout, requestTimeout } = dashboard.server;
  expect([headersTimeout, requestTimeout]).toEqual([10_000, 45_000]);
});
