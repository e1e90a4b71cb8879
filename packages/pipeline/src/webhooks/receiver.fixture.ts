import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedWebhook = {
  headers: IncomingHttpHeaders;
  /** The bytes as they arrived. */
  body: string;
  /** Unix milliseconds. */
  at: number;
};

export type Receiver = {
  url: string;
  received: ReceivedWebhook[];
  /** How it answers from now on: a status, or a function that answers itself. */
  answer(reply: Reply): void;
  close(): Promise<void>;
};

type Reply = number | ((response: ServerResponse, count: number) => void);

/** A receiver of webhooks on loopback. It answers 200 at first. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  let reply: Reply = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ headers: request.headers, body, at: Date.now() });
      if (typeof reply === 'number') response.writeHead(reply).end('thanks');
      else reply(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    answer(next) {
      reply = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
