import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { newId } from '@belfry/runtime';
import { eventually, type ReadRecorder, recordReads } from '@belfry/testing';
import { fillPath, listAppRoutes } from './routes.fixture';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(120_000);

let dashboard: StoredDashboard;
let reads: ReadRecorder;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
  reads = recordReads(dashboard.app);
});

afterAll(() => dashboard.close());

/** Raw percent-encoding that no client library would send. */
const unreadable = ['%00', 'a%00b', '%', '%z', '%4', '%ff', '%80', '%C0%80', '%ED%A0%80', '%E2%82'];
const odd = [
  '',
  '0',
  '-1',
  '1e400',
  'NaN',
  '9007199254740993',
  '99999999999999999999999999',
  '2026-13-45T99:99:99Z',
  '%27%20OR%201%3D1--',
  '%25',
  '%5C',
  '%7B%7D',
  '%0D%0Ax',
  '%F0%9F%94%94',
  '__proto__',
  newId(),
  'a'.repeat(4_000),
];

type Probe = { route: string; path: string };

function isRefusal(data: Buffer): number {
  return String(data).startsWith('HTTP/1.1 503 ') ? 1 : 0;
}

/** Every GET of the API, with ids of the own app in its path. The live tail is excluded because it never ends. */
function listGets(): Probe[] {
  const ids = { appId: dashboard.tenant.appId, channel: 'email' };
  const idNames = ['id', 'eventId', 'versionId', 'requestId', 'messageId', 'captureId', 'resendId'];
  const values = Object.fromEntries([...idNames, 'userSid'].map((name) => [name, newId()]));
  return listAppRoutes(dashboard.app)
    .filter(({ method, path }) => method === 'get' && path.startsWith('/api/'))
    .map(({ path }) => ({ route: path, path: fillPath(path, { ...values, ...ids }) }));
}

/** Query parameters that handlers read. */
async function learnParameters(probe: Probe): Promise<string[]> {
  reads.take();
  await dashboard.call('get', probe.path);
  return reads.take().map((place) => place.replace('query.', ''));
}

/** Unexpected answers for one parameter of a route. */
async function tryParameter({ path }: Probe, name: string): Promise<string[]> {
  const failed: string[] = [];
  const check = async (query: string, isRight: (status: number) => boolean) => {
    const { status } = await dashboard.call('get', `${path}?${query}`);
    if (!isRight(status)) failed.push(`${status} ${path}?${query.slice(0, 60)}`);
  };
  for (const value of unreadable) await check(`${name}=${value}`, (status) => status === 400);
  for (const value of odd) await check(`${name}=${value}`, (status) => status < 500);
  await check(`${name}=a&${name}=b`, (status) => status < 500);
  return failed;
}

describe('a GET with a hostile query', () => {
  test('never causes an internal error, on any route with any parameter', async () => {
    const probes = listGets().filter(({ path }) => !path.endsWith('log/live'));
    expect(probes.length).toBeGreaterThan(25);
    const failed: string[] = [];
    let parameters = 0;
    for (const probe of probes) {
      const names = await learnParameters(probe);
      parameters += names.length;
      for (const name of [...names, 'unknown']) failed.push(...(await tryParameter(probe, name)));
    }
    expect(failed).toEqual([]);
    expect(parameters).toBeGreaterThan(25);
  });

  test('gets an error that names the problem', async () => {
    const zero = await dashboard.call('get', 'apps?text=%00');
    expect([zero.body.code, zero.body.error]).toEqual([
      'bad_request',
      'The path and query of a call must not contain U+0000 (%00).',
    ]);
    const response = await dashboard.call('get', 'apps?text=%ff');
    expect(response.body.error).toContain('percent-encoded UTF-8');
  });
});

test('a hostile path is refused before any route, for every method', async () => {
  const failed: string[] = [];
  for (const { method, path } of listAppRoutes(dashboard.app)) {
    if (!path.startsWith('/api/') || !path.includes(':')) continue;
    for (const value of unreadable) {
      const place = path.replace(/:\w+/g, value).replace(/^\/api\//, '');
      const { status } = await dashboard.call(method, place);
      if (status !== 400) failed.push(`${status} ${method} ${place}`);
    }
  }
  expect(failed).toEqual([]);
});

test('the live tail refuses a hostile filter before it streams', async () => {
  const at = `apps/${dashboard.tenant.appId}/log/live`;
  const { status } = await dashboard.call('get', `${at}?recipient=%00`);
  expect(status).toBe(400);
});

describe('a body', () => {
  const body = JSON.stringify({ email: 'a@example.com', password: 'a guess' });

  function send(headers: Record<string, string>, bytes: string | Buffer = body) {
    const { port } = dashboard.server.address() as AddressInfo;
    const place = { host: '127.0.0.1', port, path: '/api/session', method: 'POST', agent: false };
    const json = { Origin: dashboard.url, 'Content-Type': 'application/json' };
    return new Promise<{ status: number; code: string; error: string }>((resolve, reject) => {
      const req = http.request({ ...place, headers: { ...json, ...headers } }, (res) => {
        let text = '';
        res.on('data', (data) => (text += data));
        res.on('end', () => resolve({ status: res.statusCode ?? 0, ...JSON.parse(text) }));
      });
      req.once('error', reject).end(bytes);
    });
  }

  test.each(['gzip', 'deflate', 'br', 'zstd', 'x-gzip', 'nonsense'])(
    'with Content-Encoding: %s is answered 415 with that reason',
    async (encoding) => {
      const answer = await send({ 'Content-Encoding': encoding });
      expect(answer).toMatchObject({ status: 415, code: 'unsupported_media_type' });
      expect(answer.error).toContain('Content-Encoding');
    },
  );

  test.each([
    ['invalid JSON', '{"email"'],
    ['U+0000', '{"email":"a\\u0000@example.com","password":"x"}'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('of %s is answered 400', async (_what, bytes) => {
    expect(await send({}, bytes)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  test('over 16 KB without a session, or over 1 MB with one, is answered 413', async () => {
    const stranger = await send({}, `"${'a'.repeat(16 * 1024)}"`);
    expect(stranger).toMatchObject({ code: 'too_large', error: expect.stringContaining('16 KB') });
    const large = await dashboard.call('post', 'apps', { name: 'a'.repeat(1024 * 1024) });
    expect([large.status, large.body.error]).toEqual([413, 'The body must have at most 1024 KB.']);
  });

  test('is not read without a session where one is required', async () => {
    const { port } = dashboard.server.address() as AddressInfo;
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => (text += data));
    const lines = ['POST /api/apps HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Length: 1000000'];
    lines.push(`Origin: ${dashboard.url}`, 'Content-Type: application/json', '', '{');
    socket.write(lines.join('\r\n'));
    await once(socket, 'data');
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('of one account does not block other accounts: at most 16 are read at once', async () => {
    const neighbour = await dashboard.createNeighbour();
    const { port } = dashboard.server.address() as AddressInfo;
    const cookie = await neighbour.signInForCookie();
    const lines = ['POST /api/apps HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Length: 1000000'];
    lines.push(`Origin: ${dashboard.url}`, `Cookie: ${cookie}`, 'Content-Type: application/json');
    const sockets = Array.from({ length: 20 }, () => {
      const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
      return socket;
    });
    let refusalCount = 0;
    for (const socket of sockets) socket.once('data', (data) => (refusalCount += isRefusal(data)));
    await eventually(() => expect(refusalCount).toBe(4));
    expect((await neighbour.call('post', 'apps', { name: 'late' })).status).toBe(503);
    expect((await dashboard.call('post', 'apps', { name: 'other' })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      expect((await neighbour.call('post', 'apps', { name: 'again' })).status).toBe(200);
    });
  });

  test.each([
    ['Content-Length', 'Content-Length: 100', '{"email"'],
    ['chunks', 'Transfer-Encoding: chunked', '8\r\n{"email"\r\n'],
  ])('that is truncated is answered 400: by %s', async (_what, header, bytes) => {
    const { port } = dashboard.server.address() as AddressInfo;
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (data) => (text += data));
    const lines = ['POST /api/session HTTP/1.1', `Host: 127.0.0.1:${port}`, header];
    lines.push(`Origin: ${dashboard.url}`, 'Content-Type: application/json', '', bytes);
    socket.end(lines.join('\r\n'));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"bad_request"/s);
  });
});
