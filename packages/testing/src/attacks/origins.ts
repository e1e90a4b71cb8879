import assert from 'node:assert/strict';
import { call } from './http-call';
import type { Attack } from './target';

const foreignNames = [
  '127.evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.1@evil.example',
  'localhost.evil.example',
  'evil.example',
];

export const originAttacks: Attack[] = foreignNames.map((name) => ({
  kind: 'S4',
  title: `a page of ${name} can neither read nor sign in at the dashboard`,
  async run({ local }) {
    const url = local.ready.dashboard_url;
    const host = `${name}:${new URL(url).port}`;
    const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' };
    const read = await call(url, '/api/session', { headers });
    const signIn = await call(url, '/api/session', {
      method: 'POST',
      headers,
      body: JSON.stringify({ email: 'a@b.example', password: 'guess' }),
    });
    // 400 if it is not a valid host.
    for (const { status, text } of [read, signIn]) assert.ok([400, 403].includes(status), text);
  },
}));
