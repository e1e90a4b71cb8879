import { sortWriteFailure } from '@belfry/database';

/** Whether PostgreSQL could not be asked, or did not answer; a fault of ours is neither. */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error || error.name === 'NotConnectedError') {
    return sortWriteFailure(error) !== 'faulty';
  }
  // What the driver says when a connection ends under a statement, or goes silent, has no code.
  return /^(Connection terminated|Query read timeout|Client has encountered)/.test(error.message);
}
