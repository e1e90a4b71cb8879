import type { LookupFunction, Socket } from 'node:net';
import type { Client } from 'undici';

/** One connection to an origin, opened when it is first needed and again where it was lost; it carries one call at a time. */
export type Connection = {
  origin: string;
  client: Client;
  /** The connection that is open, or was last. */
  socket: Socket | undefined;
};

export type ConnectionPool = {
  /** One that nobody uses. */
  take(origin: string): Connection;
  /** Its call is over, and was answered. */
  release(connection: Connection): void;
  /** Closes its connection, whatever it carries. */
  drop(connection: Connection): void;
  /** Drops all of them. */
  close(): void;
};

export type ConnectionPoolOptions = {
  /** How host names become addresses; the system's way unless given. */
  lookup: LookupFunction | undefined;
};

/** All that were in use are kept: answers come together, and a connection costs more than a call. Idle ones end by themselves. */
const maxIdlePerOrigin = 1024;
/** Below what servers wait before they close an idle connection: a request on a closing one is lost. */
const idleMs = 4_000;

export function createConnectionPool({ lookup }: ConnectionPoolOptions): ConnectionPool {
  const { Client: UndiciClient, buildConnector } = loadUndici();
  // A call has its own deadline, which covers the connection.
  const connect = buildConnector({ timeout: 0, ...(lookup ? { lookup } : {}) });
  const all = new Set<Connection>();
  const idle = new Map<string, Connection[]>();

  function open(origin: string): Connection {
    const client = new UndiciClient(origin, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(options, callback) {
        connect(options, (...connected) => {
          connection.socket = connected[1] ?? undefined;
          callback(...connected);
        });
      },
    });
    const connection: Connection = { origin, client, socket: undefined };
    // What is idle would wait here for ever: of origins there may be many.
    client.on('disconnect', () => {
      if (idle.get(origin)?.includes(connection)) drop(connection);
    });
    all.add(connection);
    return connection;
  }

  function drop(connection: Connection): void {
    const idleConnections =
      idle.get(connection.origin)?.filter((each) => each !== connection) ?? [];
    if (idleConnections.length > 0) idle.set(connection.origin, idleConnections);
    else idle.delete(connection.origin);
    all.delete(connection);
    // Its calls have ended, or end by it.
    connection.client.destroy().catch(() => undefined);
  }

  return {
    take: (origin) => idle.get(origin)?.pop() ?? open(origin),
    release(connection) {
      const idleConnections = idle.get(connection.origin) ?? [];
      if (!all.has(connection) || idleConnections.length >= maxIdlePerOrigin)
        return drop(connection);
      idleConnections.push(connection);
      idle.set(connection.origin, idleConnections);
    },
    drop,
    close() {
      for (const connection of all) drop(connection);
    },
  };
}

/** Loaded with the first sender that calls over HTTP: it takes 15 MB. */
function loadUndici(): typeof import('undici') {
  return require('undici') as typeof import('undici');
}
