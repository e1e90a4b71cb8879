import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer as readBuffer } from 'node:stream/consumers';
import { constants, createGzip } from 'node:zlib';

export type CompressingProxy = {
  url: string;
  /** Upstreams in the order in which a new connection tries them. */
  setTargets(urls: string[]): void;
  /** How many responses were compressed. */
  countCompressed(): number;
  close(): Promise<void>;
};

type Exchange = { req: IncomingMessage; res: ServerResponse; body: Buffer };

/** A reverse proxy that compresses: every response, or only those without `no-transform` (RFC 9111, section 5.2.2.6). */
export async function startCompressingProxy({
  honorsNoTransform,
}: {
  honorsNoTransform: boolean;
}): Promise<CompressingProxy> {
  let targets: string[] = [];
  let compressed = 0;

  function pass(answer: IncomingMessage, res: ServerResponse): void {
    const isFixed = /no-transform/.test(String(answer.headers['cache-control']));
    const { 'content-length': _length, ...headers } = answer.headers;
    answer.on('error', () => res.destroy());
    if (honorsNoTransform && isFixed) {
      res.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(res);
      return;
    }
    compressed += 1;
    res.writeHead(answer.statusCode ?? 502, { ...headers, 'content-encoding': 'gzip' });
    // Flushes each chunk, as proxies do for streams.
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    answer.pipe(gzip).pipe(res);
  }

  /** The body is kept for the next target. */
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBuffer(req);
    forward({ req, res, body }, targets);
  }

  function forward(exchange: Exchange, [target, ...others]: string[]): void {
    const { req, res, body } = exchange;
    if (target === undefined) {
      res.writeHead(502).end();
      return;
    }
    const options = { method: req.method, headers: req.headers, agent: false };
    const upstream = http.request(new URL(req.url ?? '/', target), options);
    upstream.on('response', (answer) => pass(answer, res));
    upstream.on('error', () => (res.headersSent ? res.destroy() : forward(exchange, others)));
    res.on('close', () => upstream.destroy());
    upstream.end(body);
  }

  const server = http.createServer((req, res) => void receive(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    setTargets(urls) {
      targets = urls;
    },
    countCompressed: () => compressed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
