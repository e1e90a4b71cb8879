import { isAnsweredError, NotConnectedError } from '@belfry/database';

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
