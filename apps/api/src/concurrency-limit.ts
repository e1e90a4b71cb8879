import { unavailable } from '@belfry/pipeline/accept';
import { AppError } from '@belfry/shared';

/** Takes a place for a call that waits; gives back what frees it. Throws where there is none. */
export type AcquireSlot = (accountId: string) => () => void;

/** Bounds the calls that wait, in all and of one account, so that none takes the places of the others. */
export function createConcurrencyLimit({
  max,
  maxOfOne,
}: {
  max: number;
  maxOfOne: number;
}): AcquireSlot {
  const counts = new Map<string, number>();
  let all = 0;

  return function acquireSlot(accountId) {
    const own = counts.get(accountId) ?? 0;
    if (own >= maxOfOne) {
      throw new AppError('rate_limited', `${maxOfOne} calls of the account wait already`);
    }
    if (all >= max) throw unavailable('1');
    counts.set(accountId, own + 1);
    all += 1;
    return () => {
      const left = (counts.get(accountId) ?? 1) - 1;
      if (left === 0) counts.delete(accountId);
      else counts.set(accountId, left);
      all -= 1;
    };
  };
}
