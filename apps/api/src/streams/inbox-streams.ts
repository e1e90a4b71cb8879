import { unavailable } from '@belfry/pipeline/accept';
import {
  type InboxAddress,
  type NameReader,
  parseEventId,
  type WakeListener,
} from '@belfry/pipeline/operate';
import { createLoop } from '@belfry/runtime';
import type { Response } from 'express';
import { formatRetry, resetText } from './event-text';
import { beat, beatEveryMs, endWith, type Stream } from './inbox-stream';
import { createOpenStreams, type OpenStreams } from './open-streams';
import { createPoll, type PollDeps } from './poll-readers';
import { createReadStreams, type Reader, type ReadStreamsDeps } from './read-streams';
import { checkStreamLimits, createStreamLimits } from './stream-limits';

export type InboxStreamsDeps = ReadStreamsDeps &
  Pick<PollDeps, 'listChangedReaders'> & {
    nameReader: NameReader;
    /** The IDs of the credentials with which readers of the app may sign in now. */
    findCredentialIds(appId: string): Promise<ReadonlySet<string>>;
    createListener(on: { onWake(names: string[]): void; onConnected(): void }): WakeListener;
    /** Maximum number of streams of this process. */
    max: number;
  };

export type NewStream = {
  res: Response;
  address: InboxAddress;
  credentialId: string;
  /** When the reader's token expires. */
  endsAtMs: number;
  lastEventId: string | undefined;
};

export type InboxStreams = {
  /** Throws `too_many_streams` or `unavailable` if the reader may not open another stream. */
  check(address: InboxAddress): void;
  /** Takes over a response whose head is written. */
  open(stream: NewStream): void;
  count(): number;
  /** Ends all streams at once: their clients continue at another gateway, the more of them the more spread out. */
  close(): Promise<void>;
};

/** Then the client comes back and signs in again. */
const maxLifetimeMs = 60 * 60_000;

/**
 * The streams of this process. PostgreSQL has the news, and messages in Redis only say when to read it: any gateway
 * serves any reader, and a lost message delays an event until the next poll.
 */
export function createInboxStreams(deps: InboxStreamsDeps): InboxStreams {
  const limits = createStreamLimits(deps.max);
  const open = createOpenStreams(deps.nameReader);
  const readStreams = createReadStreams(deps);
  const upkeep = createUpkeep(deps, open, readStreams);
  let isClosed = false;

  return {
    check(address) {
      if (isClosed) throw unavailable('1');
      checkStreamLimits(limits, open.countFor(address));
    },

    open(newStream) {
      const { res, lastEventId } = newStream;
      const stream = createStream(newStream);
      const isUnknown = lastEventId !== undefined && !stream.progress;
      res.write(formatRetry(Math.random()) + (isUnknown ? resetText : ''));
      const reader = open.add(stream);
      res.on('drain', () => {
        Object.assign(stream, { isBlocked: false, blockedBeats: 0 });
        void readStreams(reader);
      });
      upkeep.start();
      void readStreams(reader);
    },

    count: () => open.streams.size,

    async close() {
      isClosed = true;
      const { streams } = open;
      for (const stream of streams) endWith(stream, formatRetry(Math.random(), streams.size));
      await upkeep.close();
    },
  };
}

const tickMs = 1_000;

/** Everything that happens to open streams. It starts with the first one. */
function createUpkeep(
  deps: InboxStreamsDeps,
  { streams, readers, find }: OpenStreams,
  readStreams: (reader: Reader) => Promise<void>,
) {
  const poll = createPoll({ ...deps, readers, find, readStreams });
  const listener = deps.createListener({
    onWake(names) {
      for (const name of names) {
        const reader = readers.get(name);
        if (reader) void readStreams(reader);
      }
    },
    onConnected: poll.runNow,
  });
  const revoking = createLoop(
    () => endRevoked(streams, deps.findCredentialIds),
    () => beatEveryMs,
  );
  let ticking: NodeJS.Timeout | undefined;

  return {
    start() {
      if (ticking) return;
      ticking = setInterval(() => beatAll(streams), tickMs).unref();
      listener.start();
      poll.start();
      revoking.start();
    },
    async close() {
      clearInterval(ticking);
      listener.close();
      await Promise.all([poll.close(), revoking.close()]);
    },
  };
}

function createStream({ res, address, credentialId, endsAtMs, lastEventId }: NewStream): Stream {
  const nowMs = Date.now();
  return {
    ...{ res, address, credentialId, counts: undefined, isBlocked: false, blockedBeats: 0 },
    progress: lastEventId === undefined ? undefined : parseEventId(address, lastEventId, nowMs),
    endsAtMs: Math.min(endsAtMs, nowMs + maxLifetimeMs),
    // Spreads the heartbeats of streams that were opened together.
    beatAtMs: nowMs + Math.random() * beatEveryMs,
  };
}

function beatAll(streams: Iterable<Stream>): void {
  const nowMs = Date.now();
  for (const stream of streams) beat(stream, nowMs);
}

/** Ends the streams whose credentials were revoked. If that cannot be read now, they stay. */
async function endRevoked(
  streams: ReadonlySet<Stream>,
  findCredentialIds: InboxStreamsDeps['findCredentialIds'],
): Promise<void> {
  const appIds = new Set([...streams].map(({ address }) => address.appId));
  for (const appId of appIds) {
    const ids = await findCredentialIds(appId).catch(() => undefined);
    if (!ids) continue;
    for (const { res, address, credentialId } of streams) {
      if (address.appId === appId && !ids.has(credentialId)) res.end();
    }
  }
}
