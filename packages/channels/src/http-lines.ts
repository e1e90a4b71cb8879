import type { LookupFunction, Socket } from 'node:net';
import type { Client } from 'undici';

/** One connection to an origin, opened when it is first needed and again where it was lost; it carries one call at a time. */
export type Line = {
  origin: string;
  client: Client;
  /** The connection that is open, or was last. */
  socket: Socket | undefined;
};

export type Lines = {
  /** One that nobody uses. */
  take(origin: string): Line;
  /** Its call is over, and was answered. */
  giveBack(line: Line): void;
  /** Closes its connection, whatever it carries. */
  drop(line: Line): void;
  /** Drops all of them. */
  close(): void;
};

export type LinesOptions = {
  /** How host names become addresses; the system's way unless given. */
  lookup: LookupFunction | undefined;
};

/** All that were in use are kept: answers come together, and a connection costs more than a call. Idle ones end by themselves. */
const maxIdleOfOrigin = 1024;
/** Below what servers wait before they close an idle connection: a request on a closing one is lost. */
const idleMs = 4_000;

export function createLines({ lookup }: LinesOptions): Lines {
  const { Client: UndiciClient, buildConnector } = loadUndici();
  // A call has its own deadline, which covers the connection.
  const connect = buildConnector({ timeout: 0, ...(lookup ? { lookup } : {}) });
  const all = new Set<Line>();
  const idle = new Map<string, Line[]>();

  function open(origin: string): Line {
    const client = new UndiciClient(origin, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(options, callback) {
        connect(options, (...connected) => {
          line.socket = connected[1] ?? undefined;
          callback(...connected);
        });
      },
    });
    const line: Line = { origin, client, socket: undefined };
    // What is idle would wait here for ever: of origins there may be many.
    client.on('disconnect', () => {
      if (idle.get(origin)?.includes(line)) drop(line);
    });
    all.add(line);
    return line;
  }

  function drop(line: Line): void {
    const ofOrigin = idle.get(line.origin)?.filter((each) => each !== line) ?? [];
    if (ofOrigin.length > 0) idle.set(line.origin, ofOrigin);
    else idle.delete(line.origin);
    all.delete(line);
    // Its calls have ended, or end by it.
    line.client.destroy().catch(() => undefined);
  }

  return {
    take: (origin) => idle.get(origin)?.pop() ?? open(origin),
    giveBack(line) {
      const ofOrigin = idle.get(line.origin) ?? [];
      if (!all.has(line) || ofOrigin.length >= maxIdleOfOrigin) return drop(line);
      ofOrigin.push(line);
      idle.set(line.origin, ofOrigin);
    },
    drop,
    close() {
      for (const line of all) drop(line);
    },
  };
}

/** Loaded with the first sender that calls over HTTP: it takes 15 MB. */
function loadUndici(): typeof import('undici') {
  return require('undici') as typeof import('undici');
}
