import { createSemaphore } from '@belfry/runtime';
import { AppError } from '@belfry/shared';

/** Runs work when its turn has come. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

const maxWaiting = 100;

/** Lets one in at a time, in the order they came; refuses with 503 whom there is no room for. */
export function createTurns(): InTurn {
  const turns = createSemaphore(1);
  let inside = 0;
  return async function inTurn(work) {
    if (inside >= maxWaiting) throw tooManyWait();
    inside += 1;
    const release = await turns.acquire();
    try {
      return await work();
    } finally {
      inside -= 1;
      release();
    }
  };
}

function tooManyWait(): AppError {
  return new AppError('unavailable', 'too many large bodies wait for their turn: try again');
}
