import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, parseTrustedProxies } from '@belfry/runtime';
import express from 'express';
import { createConnections } from './connection';
import { createHandleProblems } from './route';

const log = createLogger({ level: 'error', process: 'test' });
let server: Server;

/** Trusts itself as a proxy, so tests can send `X-Forwarded-*`. */
beforeAll(async () => {
  const isTrustedProxy = parseTrustedProxies('127.0.0.1');
  if (typeof isTrustedProxy !== 'function') throw new Error(isTrustedProxy.problem);
  const dashboardUrl = 'http://belfry.internal:4401/dashboard';
  const { refuseForeignNames, requireOwnOrigin } = createConnections({
    allowHttp: true,
    isTrustedProxy,
    dashboardUrl,
  });
  const app = express().use(refuseForeignNames, requireOwnOrigin);
  app.use((_req, res) => void res.json({}));
  app.use(createHandleProblems({ log }));
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

function call(method: string, headers: Record<string, string>): Promise<number> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const place = { host: '127.0.0.1', port, method, setHost: false, agent: false };
    const req = http.request({ ...place, headers }, (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    req.once('error', reject).end();
  });
}

test.each([
  '127.0.0.1',
  '127.0.0.1:4500',
  '127.8.9.10:4500',
  '[::1]:4500',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]:4500',
  'localhost:4500',
  'LocalHost',
  'localhost.:4500',
  'app.localhost:4500',
  '2130706433',
  'belfry.internal',
  'BELFRY.internal:9999',
])('over plain HTTP the host %s is accepted', async (host) => {
  expect(await call('GET', { Host: host })).toBe(200);
});

const foreignHosts = [
  '127.evil.example:4500',
  '127.0.0.1.evil.example',
  '127.0.0.1@evil.example',
  'user@127.0.0.1',
  'evil.example#127.0.0.1',
  'evil.example\\127.0.0.1',
  'evil.example/127.0.0.1',
  '127.0.0.1, evil.example',
  '127.0.0.256',
  '128.0.0.1',
  '0.0.0.0',
  '10.0.0.7:4500',
  '[::2]',
  '[::ffff:10.0.0.7]',
  '::1',
  'evil.example',
  'notlocalhost',
  'localhost.evil.example',
  'belfry.internal.evil.example',
  'evil.belfry.internal',
  'localhost:notaport',
  '%31%32%37.0.0.1',
  '',
];

test.each(foreignHosts)('over plain HTTP the host "%s" is refused', async (host) => {
  expect(await call('GET', { Host: host })).toBe(403);
});

test.each(foreignHosts)(
  'a proxy that forwards the host "%s" over plain HTTP is refused',
  async (host) => {
    expect(await call('GET', { Host: '127.0.0.1', 'X-Forwarded-Host': host })).toBe(403);
  },
);

test.each<[string, Record<string, string>]>([
  ['the same text', { Host: '127.0.0.1:4500', Origin: 'http://127.0.0.1:4500' }],
  ['another case', { Host: 'LOCALHOST:4500', Origin: 'http://localhost:4500' }],
  ['the default port', { Host: 'localhost:80', Origin: 'http://localhost' }],
  ['IPv6 written in full', { Host: '[0:0:0:0:0:0:0:1]:4500', Origin: 'http://[::1]:4500' }],
  [
    'HTTPS by a proxy',
    {
      Host: 'inner',
      'X-Forwarded-Host': 'belfry.example',
      'X-Forwarded-Proto': 'https',
      Origin: 'https://belfry.example',
    },
  ],
])('a change from our own origin is accepted: %s', async (_what, headers) => {
  expect(await call('POST', headers)).toBe(200);
});

test.each([
  'http://127.0.0.1:4501',
  'https://127.0.0.1:4500',
  'http://127.0.0.1',
  'http://localhost:4500',
  'http://127.0.0.1:4500/',
  'http://127.0.0.1:4500@evil.example',
  'http://evil@127.0.0.1:4500',
  'http://127.0.0.1:4500.evil.example',
  'http://127.0.0.1:4500, http://evil.example',
  'null',
  '127.0.0.1:4500',
  '',
])('a change from the origin "%s" is refused', async (origin) => {
  expect(await call('POST', { Host: '127.0.0.1:4500', Origin: origin })).toBe(403);
});

test('a change without an origin is refused', async () => {
  expect(await call('POST', { Host: '127.0.0.1:4500' })).toBe(403);
});
