import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Proxies a path to a server, without the path prefix. */
export async function startProxy(prefix: string, target: string) {
  const server = http.createServer((incoming, outgoing) => {
    const url = incoming.url ?? '';
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(502).end();
      return;
    }
    const { method, headers } = incoming;
    const passedOn = http.request(new URL(url.slice(prefix.length), target), { method, headers });
    passedOn.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passedOn);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server on a port has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
