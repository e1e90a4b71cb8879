import type { InboxAddress } from '@belfry/pipeline/operate';
import { createLoop } from '@belfry/runtime';
import type { OpenStreams } from './open-streams';
import type { Reader } from './read-streams';

export type PollDeps = Pick<OpenStreams, 'readers' | 'find'> & {
  readStreams(reader: Reader): Promise<void>;
  /** The readers among these whose inbox changed after their number. */
  listChangedReaders(readers: (InboxAddress & { after: number })[]): Promise<InboxAddress[]>;
};

const pollEveryMs = 5_000;
const readersPerStatement = 500;

/** Finds news that no message announced, for all readers with open streams. */
export function createPoll({ readers, find, readStreams, listChangedReaders }: PollDeps) {
  async function pollSome(some: Reader[]): Promise<void> {
    const progress = some.map(({ address, lastChange }) => ({ ...address, after: lastChange }));
    for (const address of await listChangedReaders(progress)) {
      const reader = find(address);
      if (reader) void readStreams(reader);
    }
  }

  async function pollAll(): Promise<void> {
    const all = [...readers.values()];
    // Their last read failed.
    for (const reader of all.filter(({ isStale }) => isStale)) void readStreams(reader);
    for (let from = 0; from < all.length; from += readersPerStatement) {
      // If PostgreSQL does not answer, the next poll finds the same news.
      await pollSome(all.slice(from, from + readersPerStatement)).catch(() => undefined);
    }
  }

  const loop = createLoop(pollAll, () => pollEveryMs);
  return { ...loop, runNow: () => void pollAll() };
}
