import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createDashboard } from './app';
import { slackBot } from './change-calls.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  password,
  type StoredDashboard,
} from './stored-dashboard.fixture';

/** Documents that the page links to. */
const docsLinks = [
  ...readFileSync(path.join(__dirname, '..', 'web', 'shell', 'docs-link.tsx'), 'utf8').matchAll(
    /'([a-z/-]+\.md)'/g,
  ),
];
const webDir = mkdtempSync(path.join(os.tmpdir(), 'belfry-web-'));
let dashboard: StoredDashboard;
let own: Neighbour;
let cookie: string;
let app: http.Server;

beforeAll(async () => {
  mkdirSync(path.join(webDir, 'assets'));
  writeFileSync(path.join(webDir, 'index.html'), `<base href="./">${'<p>Belfry</p>'.repeat(99)}`);
  writeFileSync(path.join(webDir, 'assets', 'main-7Qd2.js'), 'const one = 1;\n'.repeat(999));
  writeFileSync(path.join(webDir, 'assets', 'log-9aB1.js'), 'const two = 2;');
  writeFileSync(
    path.join(webDir, 'assets', 'log-9aB1.js.br'),
    brotliCompressSync('const two = 2;'),
  );
  dashboard = await createStoredDashboard();
  own = await dashboard.createNeighbour();
  cookie = await own.signInForCookie();
  app = createDashboard({ ...dashboard.services, webDir }).listen(0, '127.0.0.1');
  await once(app, 'listening');
});

afterAll(async () => {
  app.closeAllConnections();
  app.close();
  await dashboard.close();
  rmSync(webDir, { recursive: true });
});

/** Headers of an answer, as the server sends them: fetch and supertest decompress. */
function request(target: string, { method = 'GET', accept = 'br, gzip', body = '' } = {}) {
  const address = app.address();
  if (typeof address !== 'object') throw new Error('The server does not listen');
  const origin = `http://127.0.0.1:${address?.port}`;
  const headers = { 'Accept-Encoding': accept, 'Content-Type': 'application/json' };
  return new Promise<Record<string, unknown>>((resolve, fail) => {
    const options = { method, headers: { ...headers, Origin: origin, Cookie: cookie } };
    const call = http.request(`${origin}${target}`, options, (answer) => {
      resolve({ ...answer.headers, status: answer.statusCode });
      answer.destroy();
    });
    call.on('error', fail).end(body);
  });
}

describe('with compression', () => {
  test('hashed files arrive as Brotli or gzip and stay cached forever', async () => {
    for (const accept of ['br', 'gzip']) {
      expect(await request('/assets/main-7Qd2.js', { accept })).toMatchObject({
        status: 200,
        'content-encoding': accept,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
    }
  });

  test('a hashed file arrives as the build compressed it, unless the browser does not accept Brotli', async () => {
    const file = '/assets/log-9aB1.js';
    const headers = {
      status: 200,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    };
    expect(await request(file, { accept: 'br' })).toMatchObject({
      ...headers,
      'content-encoding': 'br',
      'content-length': String(brotliCompressSync('const two = 2;').length),
    });
    const plain = await request(file, { accept: 'identity' });
    expect(plain).toMatchObject({ ...headers, 'content-length': '14' });
    expect(plain).not.toHaveProperty('content-encoding');
  });

  test('the page and the answers of GET routes arrive compressed', async () => {
    for (const target of ['/', '/apps/1/log', '/api/registry']) {
      expect([target, await request(target)]).toMatchObject([
        target,
        { status: 200, 'content-encoding': 'br' },
      ]);
    }
  });

  test('the documents of the repository arrive as text, and nothing else of their folder', async () => {
    const text = { status: 200, 'content-type': 'text/plain; charset=utf-8' };
    for (const [, file] of docsLinks) expect(await request(`/docs/${file}`)).toMatchObject(text);
    const page = { status: 200, 'content-type': 'text/html; charset=utf-8' };
    for (const path of [
      '',
      '/none.md',
      '/../README.md',
      '/%2e%2e/README.md',
      '/screenshots/dashboard-request-light.webp',
    ]) {
      expect([path, await request(`/docs${path}`)]).toMatchObject([path, page]);
    }
  });

  test('a browser that accepts no compression gets none', async () => {
    expect(await request('/', { accept: 'identity' })).not.toHaveProperty('content-encoding');
  });
});

describe('without compression', () => {
  test('the event stream of the log arrives', async () => {
    const stream = await request(`/api/apps/${own.tenant.appId}/log/live`);
    expect(stream).toMatchObject({ status: 200, 'content-type': 'text/event-stream' });
    expect(stream).not.toHaveProperty('content-encoding');
  });

  test('answers with a secret arrive: a shown key, an invitation link, receipt URLs', async () => {
    const integrations = `/api/apps/${own.tenant.appId}/integrations`;
    for (const name of ['One', 'Two']) {
      const body = JSON.stringify({ ...slackBot(), name });
      expect(await request(integrations, { method: 'POST', body })).toMatchObject({ status: 200 });
    }
    // Each of these is long enough to be compressed, except the key.
    const invitation = { email: `${'a'.repeat(200)}@example.com`, role: 'viewer', password };
    const answers = [
      await request(integrations),
      await request('/api/people/invitations', {
        method: 'POST',
        body: JSON.stringify(invitation),
      }),
      await request(`/api/keys/${own.tenant.apiKeyId}/show`, {
        method: 'POST',
        body: JSON.stringify({ password }),
      }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer).not.toHaveProperty('content-encoding');
    }
    expect(answers.slice(0, 2).map((answer) => Number(answer['content-length']) > 512)).toEqual([
      true,
      true,
    ]);
  });
});
