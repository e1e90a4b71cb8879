import type { InboxAddress, InboxNews, InboxProgress } from '@belfry/pipeline/operate';
import { createSemaphore, type Logger } from '@belfry/runtime';
import { type ReadNews, type Stream, writeNews } from './inbox-stream';

/** A reader with open streams in this process. */
export type Reader = {
  address: InboxAddress;
  streams: Set<Stream>;
  /** The number of the last change that was read. */
  lastChange: number;
  isReading: boolean;
  /** There may be news that was not read. */
  isStale: boolean;
};

export type ReadStreamsDeps = {
  readNews(query: InboxAddress & { after: InboxProgress; limit: number }): Promise<InboxNews>;
  log: Logger;
};

/** Leaves connections to other calls. */
const maxConcurrentReads = 4;
const itemsPerRead = 50;

/** Creates a function that reads the news of a reader and writes it to all its streams. Calls meanwhile lead to one more read. */
export function createReadStreams({ readNews, log }: ReadStreamsDeps) {
  const slots = createSemaphore(maxConcurrentReads);
  let isFailing = false;

  async function readOnce(reader: Reader): Promise<void> {
    const streams = [...reader.streams].filter(({ isBlocked }) => !isBlocked);
    if (streams.length === 0) return;
    const after = getLeastProgress(streams);
    const news = await readNews({ ...reader.address, after, limit: itemsPerRead });
    reader.lastChange = news.lastChange;
    const read = { ...news, readTo: getReadTo(news) };
    for (const stream of streams) {
      const hasMore = reader.streams.has(stream) && writeNews(stream, read);
      if (hasMore) reader.isStale = true;
    }
  }

  return async function readStreams(reader: Reader): Promise<void> {
    reader.isStale = true;
    if (reader.isReading) return;
    reader.isReading = true;
    try {
      while (reader.isStale) {
        const release = await slots.acquire();
        reader.isStale = false;
        await readOnce(reader).finally(release);
      }
      isFailing = false;
    } catch (error) {
      // The next poll reads again. An outage is logged once.
      reader.isStale = true;
      if (!isFailing) log.warn('inbox_streams.not_read', { error });
      isFailing = true;
    } finally {
      reader.isReading = false;
    }
  };
}

function getLeastProgress(streams: readonly Stream[]): InboxProgress {
  const fromNow = { arrived: Number.MAX_SAFE_INTEGER, changed: Number.MAX_SAFE_INTEGER };
  const all = streams.map(({ progress = fromNow }) => progress);
  return {
    arrived: Math.min(...all.map(({ arrived }) => arrived)),
    changed: Math.min(...all.map(({ changed }) => changed)),
  };
}

/** A list of the maximum length may have been cut off. */
function getReadTo({ lastChange, changes, arrivals }: InboxNews): ReadNews['readTo'] {
  return {
    arrived: (arrivals.length < itemsPerRead ? undefined : arrivals.at(-1)?.arrived) ?? lastChange,
    changed: (changes.length < itemsPerRead ? undefined : changes.at(-1)?.changed) ?? lastChange,
  };
}
