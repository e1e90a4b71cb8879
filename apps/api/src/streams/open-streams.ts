import type { InboxAddress, NameReader } from '@belfry/pipeline/operate';
import type { Stream } from './inbox-stream';
import type { Reader } from './read-streams';
import type { StreamLimits } from './stream-limits';

export type OpenStreams = {
  streams: ReadonlySet<Stream>;
  /** The readers with a stream, by name. */
  readers: ReadonlyMap<string, Reader>;
  find(address: InboxAddress): Reader | undefined;
  /** Adds a stream until its response closes, and returns its reader. */
  add(stream: Stream): Reader;
  /** How many streams count against the limits of a user. */
  countFor(address: InboxAddress): StreamLimits;
};

/** Keeps the open streams of this process. */
export function createOpenStreams(nameReader: NameReader): OpenStreams {
  const streams = new Set<Stream>();
  const readers = new Map<string, Reader>();
  const countsByApp = new Map<string, number>();

  function remove(name: string, reader: Reader, stream: Stream): void {
    streams.delete(stream);
    reader.streams.delete(stream);
    if (reader.streams.size === 0) readers.delete(name);
    countOne(stream.address, -1);
  }

  function countOne({ appId }: InboxAddress, change: 1 | -1): void {
    const count = (countsByApp.get(appId) ?? 0) + change;
    if (count > 0) countsByApp.set(appId, count);
    else countsByApp.delete(appId);
  }

  return {
    streams,
    readers,
    find: (address) => readers.get(nameReader(address)),
    add(stream) {
      const { address, res } = stream;
      const name = nameReader(address);
      const reader = readers.get(name) ?? createReader(address);
      readers.set(name, reader);
      reader.streams.add(stream);
      streams.add(stream);
      countOne(address, 1);
      res.on('close', () => remove(name, reader, stream));
      return reader;
    },
    countFor: (address) => ({
      ofUser: readers.get(nameReader(address))?.streams.size ?? 0,
      ofApp: countsByApp.get(address.appId) ?? 0,
      all: streams.size,
    }),
  };
}

function createReader(address: InboxAddress): Reader {
  return { address, streams: new Set(), lastChange: 0, isReading: false, isStale: false };
}
