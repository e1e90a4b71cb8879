import { isAnsweredError, NotConnectedError } from '@belfry/database';

/**
 * What a failed write means to its caller:
 * `not_written` certainly nothing, and another try may succeed; `locked` another one writes the same row right now;
 * `faulty` PostgreSQL refused what we wrote, and would again; `unclear` nobody knows whether it was committed.
 */
export type WriteFailure = 'not_written' | 'locked' | 'faulty' | 'unclear';

/** SQLSTATEs of a moment: rolled back, out of room, cancelled, starting up, read-only after a failover. */
const passing = /^(40|53|58)|^(57014|57P03|25006)$/;
const lockNotAvailable = '55P03';

/** Bugs of our own: the statement was not sent, or its transaction was rolled back. */
const bugs = new Set<unknown>(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

export function classifyWriteFailure(error: unknown): WriteFailure {
  const { code, name } = getCodeAndName(error);
  if (error instanceof NotConnectedError || passing.test(code)) return 'not_written';
  if (code === lockNotAvailable) return 'locked';
  return isAnsweredError(error) || bugs.has(name) ? 'faulty' : 'unclear';
}

function getCodeAndName(error: unknown): { code: string; name: unknown } {
  // Nothing is taken for granted of what a driver throws.
  const { code = '', name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return { code: String(code), name };
}
