import { unavailable } from '@belfry/pipeline/accept';
import { AppError } from '@belfry/shared';

/** Takes a slot for a waiting call and returns the function that frees it. Throws if none is free. */
export type AcquireSlot = (accountId: string) => () => void;

/** Limits waiting calls, in total and per account, so that no account can take all slots. */
export function createConcurrencyLimit({
  max,
  maxPerAccount,
}: {
  max: number;
  maxPerAccount: number;
}): AcquireSlot {
  const counts = new Map<string, number>();
  let all = 0;

  return function acquireSlot(accountId) {
    const own = counts.get(accountId) ?? 0;
    if (own >= maxPerAccount) {
      throw new AppError(
        'rate_limited',
        `the account already has ${maxPerAccount} waiting calls: wait until one ends`,
      );
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
