import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from './http-server';
import type { Metrics } from './metrics';
import { withinTime } from './within-time';

export type StatusServerDeps = {
  metrics: Pick<Metrics, 'read' | 'contentType'>;
  /** Whether the process can do its work. */
  ready(): Promise<boolean>;
};

export type StatusServer = {
  /** Resolves with its URL; rejects if the address is in use. */
  listen(deps: StatusServerDeps, place: { host: string; port: number }): Promise<string>;
  /** Also works if it never listened. */
  close(): Promise<void>;
};

type Answer = { status: number; type: string; body: string };

const readyTimeoutMs = 2_000;
const maxConnections = 100;

/** Serves `/livez`, `/readyz` and `/metrics` for monitoring. */
export function createStatusServer(): StatusServer {
  let server: Server | undefined;
  return {
    async listen(deps, place) {
      const httpServer = createHttpServer({
        isTrustedProxy: () => false,
        maxConnections,
        handle: createListener(deps),
        refuse: ({ text }) => ({ headers: jsonHeaders, body: toJson(text) }),
      });
      await listen(httpServer, place);
      server = httpServer;
      return getUrl(httpServer);
    },
    async close() {
      if (server) await close(server);
    },
  };
}

function createListener({ metrics, ready }: StatusServerDeps): RequestListener {
  const routes: Record<string, () => Promise<Answer>> = {
    '/livez': async () => json(200, 'ok'),
    '/readyz': async () =>
      (await withinTime(ready(), readyTimeoutMs)) ? json(200, 'ready') : json(503, 'not ready'),
    '/metrics': async () => ({
      status: 200,
      type: metrics.contentType,
      body: await metrics.read(),
    }),
  };
  return function answer(req, res) {
    const path = req.url?.split('?', 1)[0] ?? '';
    const route = req.method === 'GET' && Object.hasOwn(routes, path) ? routes[path] : undefined;
    const answering = route ? route() : Promise.resolve(json(404, 'not found'));
    void answering
      .catch(() => json(500, 'failed'))
      .then(({ status, type, body }) => {
        res.writeHead(status, { ...jsonHeaders, 'Content-Type': type });
        res.end(body);
      });
  };
}

const jsonHeaders = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

function json(status: number, text: string): Answer {
  return { status, type: jsonHeaders['Content-Type'], body: toJson(text) };
}

function toJson(status: string): string {
  return JSON.stringify({ status });
}

function listen(server: Server, place: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function getUrl(server: Server): string {
  // Safe cast: a server that listens on a port has an address with a port.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
