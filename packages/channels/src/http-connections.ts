import type { LookupFunction, Socket } from 'node:net';
import type { Client } from 'undici';

/**
 * One connection to an origin, opened on first use and reopened when lost. It carries one call at a
 * time.
 */
export type Connection = {
  origin: string;
  client: Client;
  /** The current or last socket. */
  socket: Socket | undefined;
};

export type ConnectionPool = {
  /** Returns an unused connection. */
  take(origin: string): Connection;
  /** Returns a connection whose call was answered. */
  release(connection: Connection): void;
  /** Closes a connection, whatever it carries. */
  drop(connection: Connection): void;
  /** Drops all connections. */
  close(): void;
};

export type ConnectionPoolOptions = {
  /** Resolves host names; the system resolver by default. */
  lookup: LookupFunction | undefined;
};

/**
 * Responses arrive in bursts and a connection costs more than a call, so all used connections are
 * kept. Idle ones close themselves.
 */
const maxIdlePerOrigin = 1024;
/** Shorter than the idle timeout of any server: a request on a closing connection is lost. */
const idleMs = 4_000;

export function createConnectionPool({ lookup }: ConnectionPoolOptions): ConnectionPool {
  // Loaded with the first call: it takes 15 MB, and a process at rest does not need it.
  let loaded: ReturnType<typeof loadConnector> | undefined;
  const all = new Set<Connection>();
  const idle = new Map<string, Connection[]>();

  function open(origin: string): Connection {
    loaded ??= loadConnector(lookup);
    const { UndiciClient, connect } = loaded;
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
    // Drop an idle connection at once: with many origins they would pile up.
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
    // Its calls have ended, or end with this.
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

function loadConnector(lookup: LookupFunction | undefined) {
  const { Client: UndiciClient, buildConnector } = loadUndici();
  // A call has its own deadline, which covers connecting.
  return { UndiciClient, connect: buildConnector({ timeout: 0, ...(lookup ? { lookup } : {}) }) };
}

function loadUndici(): typeof import('undici') {
  return require('undici') as typeof import('undici');
}
