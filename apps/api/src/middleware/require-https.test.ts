import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { parseTrustedProxies } from '@belfry/runtime';
import request from 'supertest';
import { createRequireHttps } from '../call';
import { close, connect, createGateway, listen, sendPath } from '../gateway.fixture';

function trusting(subnets: string) {
  const isTrustedProxy = parseTrustedProxies(subnets);
  if (typeof isTrustedProxy !== 'function') throw new Error(isTrustedProxy.problem);
  return { https: { allowHttp: false, isTrustedProxy } };
}

describe('requireHttps', () => {
  test.each<[string, string, string[], number]>([
    ['plain HTTP', '', [], 403],
    ['a forged header from an untrusted peer', '10.0.0.0/8', ['https'], 403],
    ['a trusted proxy that says https', '127.0.0.0/8', ['https'], 401],
    ['a trusted proxy that says HTTPS', '127.0.0.1', ['HTTPS'], 401],
    ['a trusted proxy that says http', '127.0.0.0/8', ['http'], 403],
    ['a trusted proxy without the header', '127.0.0.0/8', [], 403],
    ['two headers', '127.0.0.0/8', ['https', 'https'], 403],
    ['two headers, the second forged', '127.0.0.0/8', ['http', 'https'], 403],
    ['a list', '127.0.0.0/8', ['https, http'], 403],
    ['a list of equal values', '127.0.0.0/8', ['https,https'], 403],
    ['an empty header', '127.0.0.0/8', [''], 403],
  ])('handles %s', async (_, subnets, headers, status) => {
    const { server } = createGateway(trusting(subnets));
    const { socket, answer } = connect(await listen(server));
    const lines = headers.map((value) => `X-Forwarded-Proto: ${value}\r\n`).join('');
    socket.write(`POST ${sendPath} HTTP/1.1\r\nHost: h\r\n${lines}Connection: close\r\n\r\n`);
    const text = await answer;
    await close(server);
    expect(text).toContain(`HTTP/1.1 ${status} `);
    if (status === 403) expect(text).toContain('"code":"https_required"');
    expect(text).not.toMatch(/\r\nLocation:/i);
  });

  test('accepts a TLS connection', () => {
    const passed: unknown[] = [];
    const socket = new TLSSocket(new Socket());
    const requireHttps = createRequireHttps({ allowHttp: false, isTrustedProxy: () => false });
    // Only the socket and the headers are used.
    const req = { socket, rawHeaders: [] } as never;
    requireHttps(req, {} as never, (error) => passed.push(error));
    expect(passed).toEqual([undefined]);
    socket.destroy();
  });

  test.each(['/livez', '/readyz'])('allows %s over plain HTTP', async (path) => {
    const { server } = createGateway(trusting(''));
    expect((await request(server).get(path)).status).toBe(200);
  });

  test('also refuses unknown routes', async () => {
    const { server } = createGateway(trusting(''));
    expect((await request(server).get('/nothing')).body.code).toBe('https_required');
  });
});
