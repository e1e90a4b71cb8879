/**
 * Whether PostgreSQL answered that the statement had no effect. After any other error (a lost connection, a server that
 * shuts down) the statement may have been committed.
 */
export function isAnsweredError(error: unknown): boolean {
  if (error instanceof NotConnectedError) return false;
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  // EPIPE looks like an SQLSTATE but is a system error.
  if (syscall !== undefined) return false;
  // Prisma's codes, such as P1001, look like SQLSTATEs too.
  if (typeof code !== 'string' || !/^(?!P[1-9])[0-9A-Z]{5}$/.test(code)) return false;
  return !code.startsWith('08') && !code.startsWith('57P');
}

/**
 * Whether PostgreSQL refused the content of the statement (a value, a constraint), so that a retry would fail too. False
 * for temporary errors: a lock, a timeout, a full disk, a read-only server, a lost connection.
 */
export function isRefusedContent(error: unknown): boolean {
  return isAnsweredError(error) && /^(2[0-3]|54)/.test((error as { code: string }).code);
}

/** No connection was made, so no statement was sent. */
export class NotConnectedError extends Error {
  /** The code of the cause, for the log. */
  readonly code: unknown;

  constructor(cause: unknown) {
    super('Could not connect to PostgreSQL', { cause });
    this.name = 'NotConnectedError';
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

/**
 * The meaning of a failed write for the request:
 * `not_written`: nothing was written; a retry may succeed. `locked`: another request writes the same row.
 * `faulty`: PostgreSQL refused the statement and would again. `unclear`: unknown whether it was committed.
 */
export type WriteFailure = 'not_written' | 'locked' | 'faulty' | 'unclear';

/** SQLSTATEs of temporary failures: rolled back, out of resources, cancelled, starting up, read-only after a failover. */
const passing = /^(40|53|58)|^(57014|57P03|25006)$/;
const lockNotAvailable = '55P03';

/** Our own bugs: the statement was not sent, or its transaction was rolled back. */
const bugs = new Set<unknown>(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

export function classifyWriteFailure(error: unknown): WriteFailure {
  const { code, name } = getCodeAndName(error);
  if (error instanceof NotConnectedError || passing.test(code)) return 'not_written';
  if (code === lockNotAvailable) return 'locked';
  return isAnsweredError(error) || bugs.has(name) ? 'faulty' : 'unclear';
}

function getCodeAndName(error: unknown): { code: string; name: unknown } {
  // A driver may throw any value.
  const { code = '', name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return { code: String(code), name };
}

/**
 * Whether PostgreSQL is unreachable or does not answer. Recognises only errors of the driver, not our bugs or other
 * errors with a code, such as those of Node or the body parser.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof Error && isDriverError(error) && classifyWriteFailure(error) !== 'faulty';
}

function isDriverError(error: Error & { code?: unknown; syscall?: unknown }): boolean {
  const { name, code, syscall, message } = error;
  if (name === 'NotConnectedError') return true;
  if (syscall !== undefined) return socketCalls.has(syscall);
  // An SQLSTATE, or one of Prisma's codes for a database that cannot be reached or has no free connection.
  if (code !== undefined) return /^([0-9A-Z]{5}|P1\d{3}|P2024)$/.test(String(code));
  // The driver's errors for a connection that breaks or times out during a statement have no code.
  return /^(Connection terminated|Query read timeout|Client has encountered)/.test(message);
}

/** System calls of sockets; file errors have others. Handlers only use sockets to PostgreSQL. */
const socketCalls = new Set<unknown>(['connect', 'read', 'write', 'getaddrinfo']);
