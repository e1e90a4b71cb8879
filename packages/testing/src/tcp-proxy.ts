import net, { type AddressInfo, type Socket } from 'node:net';

/** Stands between a process and its store, or its caller, and stops the bytes at a step that a test names. */
export type TcpProxy = {
  readonly url: string;
  /** From the next piece that holds `text` on, nothing passes in that direction on its connection. */
  hold(direction: Direction, text: string): Held;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
};

/** From the process to the store, or back; `answer_to` holds the answers from the piece of the request on that holds the text. */
export type Direction = 'request' | 'answer_to';

export type Held = {
  /** Resolves when the piece came. */
  reached: Promise<void>;
  /** Lets everything pass that was held, and what comes after it. */
  pass(): void;
  /** Throws away what was held, and breaks its connection on both sides. */
  drop(): void;
};

type Trap = { direction: Direction; text: Buffer; spring(link: Link): void };
/** One connection: `held` has the pieces that wait, by where they go. */
type Link = { client: Socket; store: Socket; held: Map<Socket, Buffer[]> };

/** Forwards to the host and port of `target`; its own URL is `target` with its own port. */
export async function createTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  const traps = new Set<Trap>();
  const server = net.createServer((client) => {
    const link: Link = {
      client,
      store: net.connect(Number(port), hostname),
      held: new Map(),
    };
    links.add(link);
    forward(link, traps);
    for (const socket of [client, link.store]) {
      socket.on('error', () => breakLink(link));
      socket.on('close', () => {
        breakLink(link);
        links.delete(link);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  // A server that listens on a port has an address with one.
  url.port = String((server.address() as AddressInfo).port);

  function cut(): void {
    for (const link of links) breakLink(link);
  }
  return {
    url: url.href,
    hold: (direction, text) => setTrap(traps, direction, text),
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(link: Link, traps: Set<Trap>): void {
  const { client, store, held } = link;
  client.on('data', (piece: Buffer) => {
    for (const trap of traps) {
      if (!piece.includes(trap.text)) continue;
      traps.delete(trap);
      held.set(trap.direction === 'request' ? store : client, []);
      trap.spring(link);
    }
    pass(piece, store);
  });
  store.on('data', (piece: Buffer) => pass(piece, client));

  function pass(piece: Buffer, to: Socket): void {
    const waiting = held.get(to);
    if (waiting) waiting.push(piece);
    else to.write(piece);
  }
}

function setTrap(traps: Set<Trap>, direction: Direction, text: string): Held {
  let caught: Link | undefined;
  const reached = new Promise<void>((resolve) => {
    traps.add({
      direction,
      text: Buffer.from(text),
      spring(link) {
        caught = link;
        resolve();
      },
    });
  });
  return {
    reached,
    pass() {
      for (const [to, pieces] of caught?.held ?? []) {
        caught?.held.delete(to);
        for (const piece of pieces) to.write(piece);
      }
    },
    drop() {
      if (caught) breakLink(caught);
    },
  };
}

function breakLink({ client, store }: Link): void {
  client.destroy();
  store.destroy();
}
