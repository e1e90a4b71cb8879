import { randomUUID } from 'node:crypto';
import type { ConnectionTestResult, HostConnections, SendResult } from '../channel';
import { classifyMailError, readMailError } from './classify-mail-error';
import type { OpenSocket } from './open-socket';
import { createSmtpSession, type SmtpMail, type SmtpSession } from './smtp-session';
import { getMaxConnections, type SmtpCredentials, type SmtpSettings } from './smtp-settings';

/** A connection that one mail has for itself: open, or to be opened with the mail. */
export type SmtpLease = {
  send(mail: SmtpMail, signal: AbortSignal): Promise<SendResult>;
  /** May be called more than once. */
  release(): void;
};

/**
 * The connections of one integration, `max_connections` at most. One counts from before it is opened until it is closed, also
 * while the server answers RSET or QUIT. No mail waits here but in `take`.
 */
export type SmtpPool = {
  /** Undefined where no connection got free before the signal fired. */
  take(signal: AbortSignal): Promise<SmtpLease | undefined>;
  /** Connects and signs in, without sending. */
  test(signal: AbortSignal): Promise<ConnectionTestResult>;
  close(): void;
};

export type SmtpPoolDeps = {
  settings: SmtpSettings;
  credentials: SmtpCredentials;
  openSocket: OpenSocket;
  hostConnections?: HostConnections | undefined;
};

type Connection = { id: string; session: SmtpSession; createdAtMs: number };

/** Below the shortest that servers wait, so that a mail is not given to a closing connection. */
const idleTimeoutMs = 30_000;
/** Where connections are counted by host, an idle one keeps others from theirs. */
const countedIdleTimeoutMs = 1_000;
/** A connection that others wait for sends for this long before it is closed for them. */
const maxUseMs = 5_000;
/** How often a mail that waits asks for its connection. */
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

  /** One that others wait for is closed. */
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

/** Those that are open, being opened or being closed. */
function createConnections(deps: SmtpPoolDeps, onChange: () => void) {
  const { settings, hostConnections } = deps;
  const host = settings.host.toLowerCase();
  const maxConnections = getMaxConnections(settings);
  const idleMs = hostConnections ? countedIdleTimeoutMs : idleTimeoutMs;
  const all = new Set<Connection>();
  /** With the timer that closes each; the last one was used last. */
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
    /** Undefined where there are as many as there may be. */
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
    /** For the next mail, or closes it. */
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

/** Lets those who wait for a connection look again. */
function createChanges() {
  const waiting = new Set<() => void>();
  return {
    wake(): void {
      for (const look of [...waiting]) look();
    },
    /** Ends when a connection got free or was closed, when one of another worker may have been, or with the signal. */
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
  try {
    await session.open(signal);
    return { isWorking: true, detail: 'The mail server took the connection and the login.' };
  } catch (error) {
    const { detail, reason } = classifyMailError(readMailError(error), false);
    return { isWorking: false, detail: detail ?? reason };
  } finally {
    session.quit();
  }
}
