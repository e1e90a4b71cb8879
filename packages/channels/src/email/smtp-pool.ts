import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ConnectCall, ConnectionTestResult, HostConnections, SendResult } from '../channel';
import type { OpenSocket } from './open-socket';
import { classifyMailError, readMailError } from './smtp-result';
import {
  createSmtpSession,
  getMailEndpoint,
  type SmtpMail,
  type SmtpSession,
} from './smtp-session';
import {
  getMaxConnections,
  readSmtp,
  type SmtpCredentials,
  type SmtpSettings,
} from './smtp-settings';

/** The connections of all integrations. */
type SmtpConnections = {
  /**
   * Reserves a connection for a later `take` of the message. Undefined when none was free before
   * the signal fired.
   */
  reserve(call: ConnectCall, signal: AbortSignal): Promise<{ release(): void } | undefined>;
  /**
   * The message's reserved connection, or else the next one that is free before the signal fires.
   */
  take(call: ConnectCall, signal: AbortSignal): Promise<SmtpLease | undefined>;
  close(): void;
};

type SmtpConnectionsDeps = {
  openSocket: OpenSocket;
  hostConnections?: HostConnections;
};

/** When the limit is reached, the least recently used pool is closed. */
const maxPools = 256;

export function createSmtpConnections(deps: SmtpConnectionsDeps): SmtpConnections {
  const pools = new LRUCache<string, { version: string; pool: SmtpPool }>({
    max: maxPools,
    dispose: ({ pool }) => pool.close(),
  });
  const reserved = new Map<string, SmtpLease>();

  /** When an integration changed, its old pool is closed after the mails that hold a connection. */
  function findPool(call: ConnectCall): SmtpPool | undefined {
    const { integrationId, integrationVersion: version } = call;
    const entry = pools.get(integrationId);
    if (entry?.version === version) return entry.pool;
    const integration = readSmtp(call);
    if (!integration) return undefined;
    const pool = createSmtpPool({ ...integration, ...deps });
    pools.set(integrationId, { version, pool });
    return pool;
  }

  return {
    async reserve(call, signal) {
      const pool = findPool(call);
      // The message fails before it needs a connection.
      if (!pool) return { release: () => undefined };
      const lease = await pool.take(signal);
      if (!lease) return undefined;
      const key = getKey(call);
      reserved.set(key, lease);
      return {
        release() {
          if (reserved.get(key) === lease) reserved.delete(key);
          lease.release();
        },
      };
    },
    async take(call, signal) {
      const key = getKey(call);
      const lease = reserved.get(key) ?? (await findPool(call)?.take(signal));
      reserved.delete(key);
      return lease;
    },
    close: () => pools.clear(),
  };
}

/** A connection reserved before the integration changed is not used. */
function getKey({ integrationId, integrationVersion, messageId }: ConnectCall): string {
  return `${integrationId}@${integrationVersion} ${messageId}`;
}

/** A connection held by one mail: already open, or opened with the mail. */
type SmtpLease = {
  send(mail: SmtpMail, signal: AbortSignal): Promise<SendResult>;
  /** May be called more than once. */
  release(): void;
};

/**
 * The connections of one integration, at most `max_connections`. A connection counts from before it
 * is opened until it is closed, including while the server answers RSET or QUIT. Mails wait only in
 * `take`.
 */
export type SmtpPool = {
  /** Undefined when no connection was free before the signal fired. */
  take(signal: AbortSignal): Promise<SmtpLease | undefined>;
  /** Connects and signs in, without sending. */
  test(signal: AbortSignal): Promise<ConnectionTestResult>;
  close(): void;
};

type SmtpPoolDeps = {
  settings: SmtpSettings;
  credentials: SmtpCredentials;
  openSocket: OpenSocket;
  hostConnections?: HostConnections | undefined;
};

type Connection = { id: string; session: SmtpSession; createdAtMs: number };

/** Shorter than the idle timeout of any mail server, so that no mail uses a closing connection. */
const idleTimeoutMs = 30_000;
/** With per-host counting, an idle connection blocks others, so it is closed sooner. */
const countedIdleTimeoutMs = 1_000;
/** How long a connection keeps sending while others wait for one; then it is closed for them. */
const maxUseMs = 5_000;
/** How often a waiting mail asks for its connection. */
const pollMs = 250;

export function createSmtpPool(deps: SmtpPoolDeps): SmtpPool {
  const changes = createChanges();
  const connections = createConnections(deps, changes.wake);

  async function take(signal: AbortSignal): Promise<SmtpLease | undefined> {
    let created: Connection | undefined;
    while (!connections.isClosed() && !signal.aborted) {
      const open = await takeOpen();
      if (open) {
        created?.session.quit();
        return createLease(open);
      }
      created ??= connections.create();
      if (created && (await connections.mayUse(created))) return createLease(created);
      await changes.next(signal);
    }
    created?.session.quit();
    return undefined;
  }

  /** Closes a connection that others are waiting for. */
  async function takeOpen(): Promise<Connection | undefined> {
    const connection = connections.takeIdle();
    if (!connection || (await connections.mayUse(connection))) return connection;
    connection.session.quit();
    return undefined;
  }

  function createLease(connection: Connection): SmtpLease {
    let isReleased = false;
    return {
      send: connection.session.send,
      release() {
        if (isReleased) return;
        isReleased = true;
        void connections.keep(connection);
      },
    };
  }

  return { take, test: (signal) => testConnection(deps, signal), close: connections.close };
}

/** All connections: open, opening or closing. */
function createConnections(deps: SmtpPoolDeps, onChange: () => void) {
  const { settings, hostConnections } = deps;
  const host = settings.host.toLowerCase();
  const maxConnections = getMaxConnections(settings);
  const idleMs = hostConnections ? countedIdleTimeoutMs : idleTimeoutMs;
  const all = new Set<Connection>();
  /** Idle connections with the timer that closes each, most recently used last. */
  const idle = new Map<Connection, NodeJS.Timeout>();
  let isClosed = false;

  function removeIdle(connection: Connection): void {
    clearTimeout(idle.get(connection));
    idle.delete(connection);
  }

  function quitIdle(connection: Connection): void {
    removeIdle(connection);
    connection.session.quit();
  }

  function remove(connection: Connection): void {
    removeIdle(connection);
    all.delete(connection);
    hostConnections?.release(host, connection.id);
    onChange();
  }

  return {
    isClosed: () => isClosed,
    takeIdle(): Connection | undefined {
      const connection = [...idle.keys()].at(-1);
      if (connection) removeIdle(connection);
      return connection;
    },
    /** Undefined when the limit is reached. */
    create(): Connection | undefined {
      if (all.size >= maxConnections) return undefined;
      const session = createSmtpSession({ ...deps, onClosed: () => remove(connection) });
      const connection = { id: randomUUID(), session, createdAtMs: performance.now() };
      all.add(connection);
      return connection;
    },
    async mayUse({ id, createdAtMs }: Connection): Promise<boolean> {
      const answer = await hostConnections?.take(host, id);
      return answer === 'wanted'
        ? performance.now() - createdAtMs < maxUseMs
        : answer !== 'refused';
    },
    /** Keeps the connection for the next mail, or closes it. */
    async keep(connection: Connection): Promise<void> {
      const isUsable = await connection.session.isUsable();
      if (isClosed || !isUsable) return connection.session.quit();
      idle.set(connection, setTimeout(() => quitIdle(connection), idleMs).unref());
      onChange();
    },
    close() {
      isClosed = true;
      for (const connection of [...idle.keys()]) quitIdle(connection);
      onChange();
    },
  };
}

/** Wakes the callers that wait for a connection. */
function createChanges() {
  const waiting = new Set<() => void>();
  return {
    wake(): void {
      for (const look of [...waiting]) look();
    },
    /**
     * Resolves when a connection is released or closed, after the poll interval (other workers), or
     * with the signal.
     */
    next(signal: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        const timer = setTimeout(look, pollMs);
        function look(): void {
          clearTimeout(timer);
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          resolve();
        }
        waiting.add(look);
        signal.addEventListener('abort', look, { once: true });
      });
    },
  };
}

async function testConnection(
  deps: SmtpPoolDeps,
  signal: AbortSignal,
): Promise<ConnectionTestResult> {
  const session = createSmtpSession({ ...deps, onClosed: () => undefined });
  const startedAtMs = performance.now();
  try {
    await session.open(signal);
    return { isWorking: true, detail: 'The mail server accepted the connection and the login.' };
  } catch (error) {
    const { detail, reason } = classifyMailError(readMailError(error), {
      isWritten: false,
      endpoint: getMailEndpoint(deps.settings),
      elapsedMs: performance.now() - startedAtMs,
    });
    return { isWorking: false, detail: detail ?? reason };
  } finally {
    session.quit();
  }
}
