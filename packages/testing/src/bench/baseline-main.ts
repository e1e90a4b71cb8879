import http, { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Queue } from 'bullmq';
import express, { type Express } from 'express';
import { getPort } from '../simulators/http-simulator';

/** Hand-written baselines: `plain`, `proto` (the same with Node given Express's prototypes), and `hello`, the upper limit. */
const [kind = 'plain', redisUrl = ''] = process.argv.slice(2);

const server = kind === 'hello' ? http.createServer(hello) : createHandWritten(kind === 'proto');
server.listen(0, '127.0.0.1', () => process.send?.({ port: getPort(server.address()) }));
process.on('disconnect', () => process.exit(0));

function createHandWritten(hasPrototypes: boolean): http.Server {
  const queue = new Queue('plain', { connection: { url: redisUrl } });
  const app = express();
  app.use(express.json());
  app.post('/send', async (req, res) => {
    const job = await queue.add('send', req.body);
    res.json({ id: job.id, success: true });
  });
  return hasPrototypes ? http.createServer(buildServerOptions(app), app) : http.createServer(app);
}

function buildServerOptions(app: Express): http.ServerOptions {
  return {
    IncomingMessage: withPrototype(IncomingMessage, app.request),
    ServerResponse: withPrototype(ServerResponse, app.response),
  };
}

function withPrototype<T extends typeof IncomingMessage | typeof ServerResponse>(
  base: T,
  prototype: object,
): T {
  function Shaped(this: unknown, first: unknown, second: unknown): void {
    Reflect.apply(base, this, [first, second]);
  }
  Shaped.prototype = prototype;
  // Replaces the base of itself: Express's prototype inherits from that of `base`.
  return Shaped as unknown as T;
}

function hello(...[req, res]: Parameters<RequestListener>): void {
  req.resume();
  req.on('end', () => {
    const body = '{"success":true}';
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    res.end(body);
  });
}
