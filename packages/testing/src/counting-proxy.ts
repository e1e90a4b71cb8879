import net, { type AddressInfo } from 'node:net';

export type CountingProxy = {
  /** The URL to connect to instead. */
  readonly url: string;
  /** Holds back all that connections send, also new ones, until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
};

/** A proxy in front of a store. `openReader` returns the reader of one connection, which sees all that the client sends. */
export async function createCountingProxy(
  target: string,
  openReader: () => (piece: Buffer) => void,
): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<net.Socket>();
  const stores = new Set<net.Socket>();
  let isHeld = false;
  const server = net.createServer((client) => {
    const store = net.connect(Number(port), hostname);
    if (isHeld) store.cork();
    sockets.add(client).add(store);
    stores.add(store);
    client.on('data', openReader());
    client.pipe(store).pipe(client);
    client.on('error', () => store.destroy());
    store.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  // The address of a server that listens on a port has a port.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    hold() {
      isHeld = true;
      for (const store of stores) store.cork();
    },
    release() {
      isHeld = false;
      for (const store of stores) store.uncork();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
