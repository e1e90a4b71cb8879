import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { findFreePort } from '@belfry/embedded';
import { type DemoPage, startDemoPage } from './demo-page';

const apiKey = 'bk_secret_of_the_demo';
const inboxSecret = { id: 'secret-1', secret: 'bis_secret_of_the_demo' };
const calls: { url: string | undefined; authorization: string | undefined; body: unknown }[] = [];
const gateway = createServer(async (incoming, response) => {
  const { url, headers } = incoming;
  const body = JSON.parse(await readText(incoming));
  calls.push({ url, authorization: headers.authorization, body });
  response.end(JSON.stringify({ request_id: 'r1' }));
});
let page: DemoPage;
let url: string;
let apiUrl: string;

beforeAll(async () => {
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  // A server that listens on a port has an address with one.
  apiUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  const root = path.resolve(__dirname, '../../..');
  const app = { inboxAppId: 'app-1', inboxEventName: 'order_shipped' };
  page = await startDemoPage({ root, port, apiUrl, apiKey, inboxSecret, ...app });
});

afterAll(async () => {
  await page?.close();
  gateway.close();
});

function post(headers: Record<string, string>, body = '{"user_name":"Ana"}'): Promise<Response> {
  return fetch(`${url}/send`, { method: 'POST', headers, body });
}

function decode(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

/** `fetch` sends no other host than that of the URL. */
function getAs(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/session`, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    outgoing.on('error', reject).end();
  });
}

describe('the page of the demo', () => {
  test('is served with a policy that allows only its own files and the gateway', async () => {
    const response = await fetch(url);
    expect(await response.text()).toContain('<belfry-bell');
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${apiUrl}; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    for (const file of ['page.js', 'page.css', 'icon.svg', 'inbox.js']) {
      expect((await fetch(`${url}/${file}`)).status).toBe(200);
    }
    expect((await fetch(`${url}/../package.json`)).status).toBe(404);
  });

  test('gets neither the API key nor the secret: its server signs the token of the user and sends the event', async () => {
    const [session = '', answer = ''] = await Promise.all(
      ['session', 'token'].map(async (path) => (await fetch(`${url}/${path}`)).text()),
    );
    for (const secret of [apiKey, inboxSecret.secret]) {
      expect(session + answer).not.toContain(secret);
    }
    const { userId } = JSON.parse(session);
    const [header = '', claims = '', mac] = JSON.parse(answer).token.split('.');
    const expectedMac = createHmac('sha256', inboxSecret.secret).update(`${header}.${claims}`);
    expect(mac).toBe(expectedMac.digest('base64url'));
    expect(decode(header)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'secret-1' });
    const { exp, ...others } = decode(claims);
    expect(others).toEqual({ sub: userId, app: 'app-1' });
    expect(exp * 1_000 - Date.now()).toBeLessThanOrEqual(3_600_000);
    const response = await post({ 'Content-Type': 'application/json' });
    expect([response.status, await response.json()]).toEqual([200, { request_id: 'r1' }]);
    expect(calls).toEqual([
      {
        url: '/v1/apps/app-1/events/send',
        authorization: `AuthKey ${apiKey}`,
        body: {
          event: 'order_shipped',
          user: { user_id: userId },
          data: { user_name: 'Ana', order: { id: 'A-1001' } },
        },
      },
    ]);
  });

  test('cannot be used by another site', async () => {
    expect((await post({ 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(await getAs('attacker.example')).toBe(403);
    expect(await getAs(new URL(url).host)).toBe(200);
    const { headers } = await fetch(`${url}/session`, {
      headers: { Origin: 'http://evil.example' },
    });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('refuses a body that is too large', async () => {
    const body = JSON.stringify({ user_name: 'x'.repeat(2_000) });
    expect((await post({ 'Content-Type': 'application/json' }, body)).status).toBe(502);
  });
});
