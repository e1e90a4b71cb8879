import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { type DocsFiles, readDocsFiles } from '../docs/files';
import { createGateway } from '../gateway.fixture';
import { createDocsRoutes } from './docs';

const { server } = createGateway();

async function listAssets(): Promise<string[]> {
  const { text } = await request(server).get('/docs');
  return [...text.matchAll(/(?:href|src)="([^"]+\?v=[^"]+)"/g)].map(([, url]) => url!);
}

describe('GET /docs', () => {
  test('is a page that may load only from its own gateway and is revalidated', async () => {
    const response = await request(server).get('/docs');
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('has no absolute URL and no inline script or style', async () => {
    const { text } = await request(server).get('/docs');
    const urls = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url!);
    expect(urls).toHaveLength(6);
    for (const url of urls) expect(url).toMatch(/^(docs\/[\w.-]+\?v=\w{16}|openapi\.json)$/);
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style=/);
  });

  test('has files that exist, match their version, and may be cached', async () => {
    const urls = await listAssets();
    expect(urls).toHaveLength(5);
    for (const url of urls) {
      const response = await request(server).get(`/${url}`).buffer(true);
      expect([url, response.status]).toEqual([url, 200]);
      expect(response.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': expect.stringMatching(
          /^(text\/(css|javascript)|image\/svg\+xml); charset=/,
        ),
        'x-content-type-options': 'nosniff',
        etag: `"${url.split('=')[1]}"`,
        vary: 'Accept-Encoding',
      });
    }
  });

  test.each([
    ['no version', ''],
    ['an older version', '?v=0123456789abcdef'],
  ])('does not allow caching of a file requested with %s', async (_, query) => {
    const response = await request(server).get(`/docs/page.js${query}`);
    expect([response.status, response.headers['cache-control']]).toEqual([200, 'no-cache']);
  });

  test('returns 304 for a matching ETag', async () => {
    const { headers } = await request(server).get('/docs');
    for (const etag of [headers['etag']!, `W/${headers['etag']}`, `"other", ${headers['etag']}`]) {
      const again = await request(server).get('/docs').set('If-None-Match', etag);
      expect([again.status, again.text]).toEqual([304, '']);
      expect(again.headers['content-security-policy']).toBeDefined();
    }
    const response = await request(server).get('/docs').set('If-None-Match', '"other"');
    expect(response.status).toBe(200);
  });

  test('is compressed only for clients that accept gzip', async () => {
    const { page } = await readDocsFiles();
    expect(gunzipSync(page.compressed)).toEqual(page.bytes);
    const packed = await request(server).get('/docs').set('Accept-Encoding', 'gzip, br');
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(page.compressed.length),
    });
    const plain = await request(server).get('/docs').set('Accept-Encoding', 'identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.text).toBe(page.bytes.toString());
  });

  test('redirects a trailing slash to itself, under any path', async () => {
    const response = await request(server).get('/docs/');
    expect([response.status, response.headers['location']]).toEqual([308, '../docs']);
  });

  test.each([
    ['get', '/docs/swagger-ui.css.map'],
    ['get', '/docs/index.html'],
    ['get', '/docs/constructor'],
    ['get', '/docs/..%2f..%2fpackage.json'],
    ['get', '/docs/page.js/more'],
    ['post', '/docs'],
  ] as const)('returns a JSON 404 for %s %s', async (method, path) => {
    const response = await request(server)[method](path);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });

  test('returns only headers for HEAD', async () => {
    const response = await request(server).head('/docs');
    expect([response.status, response.text]).toEqual([200, undefined]);
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
  });
});

describe('the files of the page', () => {
  function createCountedRoutes(read: () => Promise<DocsFiles>) {
    let reads = 0;
    const { page } = createDocsRoutes(() => {
      reads += 1;
      return read();
    });
    const call = () => {
      const res = {
        locals: { call: { id: 'x' } },
        writeHead: () => undefined,
        end: () => undefined,
      };
      const req = { path: '/docs', headers: {}, acceptsEncodings: () => 'identity' };
      return page(req as never, res as never, () => undefined);
    };
    return { call, reads: () => reads };
  }

  test('are read once, on the first call', async () => {
    const { call, reads } = createCountedRoutes(readDocsFiles);
    expect(reads()).toBe(0);
    await Promise.all([call(), call()]);
    await call();
    expect(reads()).toBe(1);
  });

  test('are read again after a failure', async () => {
    const { call, reads } = createCountedRoutes(() => Promise.reject(new Error('gone')));
    await expect(call()).rejects.toThrow('gone');
    await expect(call()).rejects.toThrow('gone');
    expect(reads()).toBe(2);
  });
});
