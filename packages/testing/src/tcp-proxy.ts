import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A proxy between a process and its store or caller. It stops the bytes at a step that a test names. */
export type TcpProxy = {
  readonly url: string;
  /** From the next chunk that contains `text` on, nothing passes in that direction on its connection. */
  intercept(direction: Direction, text: string): Interception;
  /** Breaks every connection. */
  cut(): void;
  /** Breaks every connection so that both sides see a reset. */
  reset(): void;
  /** Degrades the link until `restore`, which breaks connections that lost bytes meanwhile. */
  degrade(to: Degraded): { restore(): void };
  close(): Promise<void>;
};

/** From the process to the store, or back; `answer_to` holds the answers from the request chunk on that contains the text. */
export type Direction = 'request' | 'answer_to';

/**
 * Every chunk is `latencyMs` late; or all bytes are silently dropped; or requests arrive and are processed, but their
 * answers are dropped.
 */
export type Degraded = { latencyMs: number } | 'black_hole' | 'answers_lost';

export type Interception = {
  /** Resolves when the chunk arrived. */
  reached: Promise<void>;
  /** Passes everything that was held, and all later bytes. */
  pass(): void;
  /** Discards held bytes, and breaks their connection on both sides. */
  drop(): void;
};

type Trap = { direction: Direction; text: Buffer; spring(link: Link): void };
/** One connection: `held` has the waiting chunks, by destination; it is `damaged` when a chunk is missing. */
type Link = {
  client: Socket;
  store: Socket;
  blockedPieces: Map<Socket, Buffer[]>;
  /** Delayed chunks by destination. No later chunk may overtake them. */
  late: Map<Socket, Promise<void>>;
  isDamaged: boolean;
};
/** The current degradation of the link. */
type Way = { degraded: Degraded | undefined };

/** Forwards to the host and port of `target`; its own URL is `target` with its own port. */
export async function createTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  const traps = new Set<Trap>();
  const way: Way = { degraded: undefined };
  const server = net.createServer((client) => {
    const link: Link = {
      client,
      store: net.connect(Number(port), hostname),
      blockedPieces: new Map(),
      late: new Map(),
      isDamaged: false,
    };
    links.add(link);
    forward(link, traps, way);
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
  // The address of a server that listens on a port has a port.
  url.port = String((server.address() as AddressInfo).port);

  function cut(): void {
    for (const link of links) breakLink(link);
  }
  function reset(): void {
    for (const { client, store } of links) {
      client.resetAndDestroy();
      store.resetAndDestroy();
    }
  }
  function degrade(to: Degraded) {
    way.degraded = to;
    return {
      restore() {
        if (way.degraded === to) way.degraded = undefined;
        for (const link of links) if (link.isDamaged) breakLink(link);
      },
    };
  }
  return {
    url: url.href,
    reset,
    degrade,
    intercept: (direction, text) => setTrap(traps, direction, text),
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(link: Link, traps: Set<Trap>, way: Way): void {
  const { client, store, blockedPieces } = link;
  client.on('data', (piece: Buffer) => {
    for (const trap of traps) {
      if (!piece.includes(trap.text)) continue;
      traps.delete(trap);
      blockedPieces.set(trap.direction === 'request' ? store : client, []);
      trap.spring(link);
    }
    send(piece, store);
  });
  store.on('data', (piece: Buffer) => send(piece, client));

  function send(piece: Buffer, to: Socket): void {
    const { degraded } = way;
    if (degraded === 'black_hole' || (degraded === 'answers_lost' && to === client)) {
      link.isDamaged = true;
      return;
    }
    const latencyMs = typeof degraded === 'object' ? degraded.latencyMs : 0;
    const before = link.late.get(to);
    if (latencyMs === 0 && !before) pass(piece, to);
    else passLater({ piece, to, before, latencyMs });
  }

  function passLater({ piece, to, before, latencyMs }: Late): void {
    const arrived = Promise.all([before, wait(latencyMs)]).then(() => {
      pass(piece, to);
      if (link.late.get(to) === arrived) link.late.delete(to);
    });
    link.late.set(to, arrived);
  }

  function pass(piece: Buffer, to: Socket): void {
    const waiting = blockedPieces.get(to);
    if (waiting) waiting.push(piece);
    else to.write(piece);
  }
}

type Late = { piece: Buffer; to: Socket; before: Promise<void> | undefined; latencyMs: number };

function setTrap(traps: Set<Trap>, direction: Direction, text: string): Interception {
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
      for (const [to, pieces] of caught?.blockedPieces ?? []) {
        caught?.blockedPieces.delete(to);
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
