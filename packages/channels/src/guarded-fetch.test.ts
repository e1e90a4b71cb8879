import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createGuardedFetch, maxFetchedBytes } from './guarded-fetch';
import { createGuardedLookup, type Resolve } from './public-address';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  closers.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listen(server)}`;
}

function fetchWith(
  url: string,
  options: { allowedPrivateHosts?: string[]; resolve?: Resolve; timeoutMs?: number } = {},
) {
  const { timeoutMs = generousMs, ...others } = options;
  const guarded = createGuardedFetch({ allowedPrivateHosts: [], ...others });
  closers.push(guarded.close);
  return guarded.fetch(url, AbortSignal.timeout(timeoutMs));
}

/** For a busy machine: 5 MB can take it more than a second. */
const generousMs = 10_000;

/** Answers each lookup with the next list of addresses. */
function createResolver(...addresses: string[][]): Resolve & { countLookups(): number } {
  let lookupCount = 0;
  const resolve: Resolve = (_hostname, _options, done) => {
    const addressList = addresses[Math.min(lookupCount, addresses.length - 1)] ?? [];
    lookupCount += 1;
    done(
      null,
      addressList.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { countLookups: () => lookupCount });
}

describe('the guarded fetch', () => {
  test.each([
    'not a url',
    '/etc/passwd',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'ftp://example.org/a',
    'http://example.org/a',
    'http://127.0.0.1/a',
    'https://example.org:8443/a',
    'https://example.org:80/a',
    'https://user:pass@example.org/a',
    'https://user@example.org/a',
    'https://127.0.0.1/a',
    'https://127.1/a',
    'https://0x7f000001/a',
    'https://2130706433/a',
    'https://017700000001/a',
    'https://0.0.0.0/a',
    'https://10.0.0.1/a',
    'https://172.16.0.1/a',
    'https://192.168.0.1/a',
    'https://100.64.0.1/a',
    'https://169.254.169.254/latest/meta-data/',
    'https://224.0.0.1/a',
    'https://255.255.255.255/a',
    'https://[::]/a',
    'https://[::1]/a',
    'https://[::ffff:127.0.0.1]/a',
    'https://[64:ff9b::7f00:1]/a',
    'https://[fc00::1]/a',
    'https://[fe80::1]/a',
    'https://[2002:7f00:1::]/a',
    'https://①②⑦.0.0.1/a',
  ])('refuses %s without a DNS lookup', async (url) => {
    const resolve = createResolver(['93.184.216.34']);
    expect(await fetchWith(url, { resolve })).toMatchObject({ failed: 'refused' });
    expect(resolve.countLookups()).toBe(0);
  });

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['2606:4700::1111', 'fd00::1']],
  ])('refuses a name that resolves to %j', async (addresses) => {
    const url = 'https://attacker.example/a';
    expect(await fetchWith(url, { resolve: createResolver(addresses) })).toEqual({
      failed: 'refused',
      detail: 'The URL must have a public address.',
    });
  });

  test('looks a name up once per connection, so that the address cannot change after the check', async () => {
    const resolver = createResolver(['93.184.216.34'], ['127.0.0.1']);
    const controller = new AbortController();
    const guarded = createGuardedFetch({
      allowedPrivateHosts: [],
      resolve(hostname, options, done) {
        // This test must not reach the network: the call ends when its address is known.
        controller.abort();
        resolver(hostname, options, done);
      },
    });
    closers.push(guarded.close);
    const url = 'https://rebinding.example/a';
    expect(await guarded.fetch(url, controller.signal)).toMatchObject({ failed: 'unavailable' });
    expect(resolver.countLookups()).toBe(1);
    expect(await fetchWith(url, { resolve: resolver })).toMatchObject({ failed: 'refused' });
    expect(resolver.countLookups()).toBe(2);
  });

  test('passes exactly the checked addresses to the socket', () => {
    const lookUp = createGuardedLookup({
      allowedPrivateHosts: [],
      resolve: createResolver(['93.184.216.34', '1.1.1.1'], ['127.0.0.1']),
    });
    const answers: unknown[] = [];
    for (const all of [true, true]) {
      lookUp('rebinding.example', { all }, (error, addresses) => answers.push(error ?? addresses));
    }
    expect(answers).toEqual([
      [
        { address: '93.184.216.34', family: 4 },
        { address: '1.1.1.1', family: 4 },
      ],
      expect.objectContaining({ code: 'EBLOCKEDADDRESS' }),
    ]);
  });

  const open = { allowedPrivateHosts: ['127.0.0.1'] };

  test('returns the bytes when the host is allowed', async () => {
    const url = await serve((_, response) => response.end(Buffer.from([0, 255, 1])));
    expect(await fetchWith(url, open)).toEqual({ body: Buffer.from([0, 255, 1]) });
  });

  test('reaches a private address only by the allowed name', async () => {
    const url = await serve((_, response) => response.end('x'));
    const { port } = new URL(url);
    const resolve = createResolver(['127.0.0.1']);
    const options = { allowedPrivateHosts: ['files.internal'], resolve };
    const body = Buffer.from('x');
    expect(await fetchWith(`http://files.internal:${port}/a`, options)).toEqual({ body });
    expect(await fetchWith(`http://FILES.internal:${port}/a`, options)).toEqual({ body });
    for (const host of ['other.internal', '127.0.0.1', 'localhost', 'x.files.internal']) {
      for (const where of [`http://${host}:${port}/a`, `https://${host}/a`]) {
        expect(await fetchWith(where, options)).toMatchObject({ failed: 'refused' });
      }
    }
  });

  test('follows no redirect', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/other' }).end();
    });
    expect(await fetchWith(url, open)).toMatchObject({ failed: 'refused' });
    expect(requests).toBe(1);
  });

  test('stops at the size limit, whatever the declared length', async () => {
    const url = await serve((_, response) => {
      response.write(Buffer.alloc(maxFetchedBytes));
      response.end('x');
    });
    expect(await fetchWith(url, open)).toEqual({
      failed: 'refused',
      detail: `It has more than ${maxFetchedBytes} bytes.`,
    });
  });

  test.each([
    [404, 'refused'],
    [403, 'refused'],
    [429, 'unavailable'],
    [503, 'unavailable'],
  ])('classifies status %i as %s', async (status, failed) => {
    const url = await serve((_, response) => response.writeHead(status).end());
    expect(await fetchWith(url, open)).toMatchObject({ failed });
  });

  test('returns `unavailable` when the server disconnects or does not answer in time', async () => {
    const brokenUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect(await fetchWith(brokenUrl, open)).toMatchObject({ failed: 'unavailable' });
    const silent = await serve(() => undefined);
    const impatient = { ...open, timeoutMs: 500 };
    expect(await fetchWith(silent, impatient)).toMatchObject({ failed: 'unavailable' });
  });
});
