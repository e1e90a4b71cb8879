import { AppError } from '@belfry/shared';

/** Runs the work of an account when its turn comes. */
export type RunInSequence = <T>(accountId: string, work: () => Promise<T>) => Promise<T>;

const maxWaitingPerAccount = 100;

/** Runs one piece of work at a time, round-robin over accounts, so that no account waits for all of another's work. */
export function createAccountQueue(): RunInSequence {
  /** Waiting work by account. The first account is next. */
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;

  async function waitInQueue(accountId: string): Promise<void> {
    const queue = waiting.get(accountId) ?? [];
    if (queue.length >= maxWaitingPerAccount) throw createQueueFullError();
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
    `the account already has ${maxWaitingPerAccount} large bodies waiting: send fewer at once`,
  );
}
