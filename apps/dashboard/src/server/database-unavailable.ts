import { classifyWriteFailure } from '@belfry/pipeline/accept';

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
