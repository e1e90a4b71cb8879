import { AppError } from '@belfry/shared';

/** Runs work of an account when its turn has come. */
export type RunInSequence = <T>(accountId: string, work: () => Promise<T>) => Promise<T>;

/** Of one account. */
const maxWaiting = 100;

/** Lets one in at a time, the accounts by turns, so that none waits for all that another one sends. */
export function createAccountQueue(): RunInSequence {
  /** The account whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;

  async function waitInQueue(accountId: string): Promise<void> {
    const queue = waiting.get(accountId) ?? [];
    if (queue.length >= maxWaiting) throw createQueueFullError();
    await new Promise<void>((resolve) => {
      queue.push(resolve);
      waiting.set(accountId, queue);
    });
  }

  function startNext(): void {
    const [next] = waiting;
    isBusy = next !== undefined;
    if (!next) return;
    const [accountId, queue] = next;
    const start = queue.shift();
    waiting.delete(accountId);
    if (queue.length > 0) waiting.set(accountId, queue);
    start?.();
  }

  return async function runInSequence(accountId, work) {
    if (isBusy) await waitInQueue(accountId);
    isBusy = true;
    try {
      return await work();
    } finally {
      startNext();
    }
  };
}

function createQueueFullError(): AppError {
  return new AppError(
    'rate_limited',
    `${maxWaiting} large bodies of the account wait already: send fewer at once`,
  );
}
