import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { call } from './http-call';
import type { Attack } from './target';

/** Dashboard paths under an app, with parameters that once reached PostgreSQL unvalidated. */
const readOfApp: Record<string, string[]> = {
  log: ['event', 'recipient', 'idempotencyKey', 'requestId', 'cursor'],
  captures: ['channel', 'event', 'text', 'before'],
  'resends/count': ['event', 'recipient', 'idempotencyKey', 'pace'],
  users: ['search', 'text', 'before'],
  suppressions: ['search', 'text', 'before'],
};

export const wrongInputAttacks: Attack[] = [
  {
    kind: 'S9',
    title: 'U+0000 in a query of the dashboard is not answered with a 5xx',
    async run({ viewer, local }) {
      const { app_id: appId } = local.ready;
      const paths = Object.entries(readOfApp).flatMap(([path, names]) =>
        names.map((name) => `/api/apps/${appId}/${path}?${name}=%00`),
      );
      const searchPaths = ['text', 'app'].map((name) => `/api/find?text=a&${name}=%00`);
      for (const path of [...paths, ...searchPaths, '/api/audit?before=%00']) {
        const { status, text } = await viewer.send('GET', path);
        assert.ok(status < 500, `${path}: ${status} ${text}`);
      }
    },
  },
  {
    kind: 'S9',
    title: 'U+0000 in the query of sandbox/wait is answered with a 4xx that names it',
    async run({ local }) {
      const { api_url: url, api_key: key, app_id: appId } = local.ready;
      const headers = { authorization: `AuthKey ${key}` };
      const path = `/v1/apps/${appId}/sandbox/wait?timeout=0&to=%00`;
      const { status, text } = await call(url, path, { headers });
      assert.ok(status >= 400 && status < 500, `${status} ${text}`);
      assert.match(text, /U\+0000/);
    },
  },
  {
    kind: 'S9',
    title:
      'a body that does not match its Content-Encoding is answered with a 4xx that does not blame PostgreSQL',
    async run({ local }) {
      const { dashboard_url: url } = local.ready;
      const bodies: [string, string | Buffer][] = [
        ['gzip', '{}'],
        ['br', '{}'],
        ['deflate', '{}'],
        ['banana', '{}'],
        ['gzip', gzipSync('{}').subarray(0, 10)],
      ];
      for (const [encoding, body] of bodies) {
        const headers = {
          ...{ origin: url, 'content-type': 'application/json' },
          'content-encoding': encoding,
        };
        const { status, text } = await call(url, '/api/session', { method: 'POST', headers, body });
        assert.ok(status >= 400 && status < 500, `${encoding}: ${status} ${text}`);
        assert.doesNotMatch(text, /PostgreSQL/);
      }
    },
  },
];
