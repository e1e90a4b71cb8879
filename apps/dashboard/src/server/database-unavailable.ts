import { classifyWriteFailure } from '@belfry/pipeline/accept';

/**
 * Whether PostgreSQL could not be asked, or did not answer. A bug of ours is neither, nor is any other error that has a
 * code, such as one of Node's or of the body reader: only what the driver throws is recognised.
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
  // What the driver says when a connection ends under a statement, or goes silent, has no code.
  return /^(Connection terminated|Query read timeout|Client has encountered)/.test(message);
}

/** Of a socket: an error of a file names other calls. Handlers have no socket but those to PostgreSQL. */
const socketCalls = new Set<unknown>(['connect', 'read', 'write', 'getaddrinfo']);
