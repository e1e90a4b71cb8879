import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { parseTrustedProxies } from '@belfry/runtime';
import request from 'supertest';
import { close, connect, createGateway, listen, sendPath } from '../gateway.fixture';
import { createRequireHttps } from './require-https';

function trusting(subnets: string) {
  const isTrustedProxy = parseTrustedProxies(subnets);
  if (typeof isTrustedProxy !== 'function') throw new Error(isTrustedProxy.problem);
  return { https: { allowHttp: false, isTrustedProxy } };
}

describe('requireHttps', () => {
  test.each<[string, string, string[], number]>([
    ['plain HTTP', '', [], 403],
    ['a forged header of a peer that is not trusted', '10.0.0.0/8', ['https'], 403],
    ['a trusted proxy that says https', '127.0.0.0/8', ['https'], 401],
    ['a trusted proxy that says HTTPS', '127.0.0.1', ['HTTPS'], 401],
    ['a trusted proxy that says http', '127.0.0.0/8', ['http'], 403],
    ['a trusted proxy that says nothing', '127.0.0.0/8', [], 403],
    ['two headers', '127.0.0.0/8', ['https', 'https'], 403],
    ['two headers, the second one forged', '127.0.0.0/8', ['http', 'https'], 403],
    ['a list', '127.0.0.0/8', ['https, http'], 403],
    ['a list of the same', '127.0.0.0/8', ['https,https'], 403],
    ['an empty header', '127.0.0.0/8', [''], 403],
  ])('answers to %s', async (_, subnets, headers, status) => {
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

  test('lets a TLS connection pass', () => {
    const passed: unknown[] = [];
    const socket = new TLSSocket(new Socket());
    const requireHttps = createRequireHttps({ allowHttp: false, isTrustedProxy: () => false });
    // Only the socket and the headers are looked at.
    const req = { socket, rawHeaders: [] } as never;
    requireHttps(req, {} as never, (error) => passed.push(error));
    expect(passed).toEqual([undefined]);
    socket.destroy();
  });

  test.each(['/livez', '/readyz'])('lets %s answer on plain HTTP', async (path) => {
    const { server } = createGateway(trusting(''));
    expect((await request(server).get(path)).status).toBe(200);
  });

  test('holds for what is no route, too', async () => {
    const { server } = createGateway(trusting(''));
    expect((await request(server).get('/nothing')).body.code).toBe('https_required');
  });
});
