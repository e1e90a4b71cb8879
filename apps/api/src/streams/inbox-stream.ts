import {
  formatEventId,
  type InboxAddress,
  type InboxNews,
  type InboxProgress,
} from '@belfry/pipeline/operate';
import type { InboxCounts } from '@belfry/shared';
import type { Response } from 'express';
import { formatCounts, formatItem, formatState, heartbeatBytes, resetText } from './event-text';

/** An open stream. */
export type Stream = {
  res: Response;
  address: InboxAddress;
  /** The client's progress; undefined until the first read if the stream begins now. */
  progress: InboxProgress | undefined;
  /** The counts that were written last. */
  counts: InboxCounts | undefined;
  /** The credential of the reader. */
  credentialId: string;
  /** When the stream ends, and when its next heartbeat is due. */
  endsAtMs: number;
  beatAtMs: number;
  /** The client does not read, so nothing is written until it does. */
  isBlocked: boolean;
  /** Heartbeats that were due since then. */
  blockedBeats: number;
};

/** News for the streams of a reader, up to the numbers `readTo`. */
export type ReadNews = InboxNews & { readTo: InboxProgress };

/** With one more item, this is what waits in memory for a client that does not read. */
const maxCharactersAtOnce = 16 * 1024;
export const beatEveryMs = 15_000;
/** A blocked stream ends at the second heartbeat, so after 15 to 30 s. */
const maxBlockedBeats = 2;

/**
 * Writes what is new for a stream: changes of items that the client has, then arrivals, then the counts if they differ.
 * Returns true if there is more to write.
 */
export function writeNews(stream: Stream, news: ReadNews): boolean {
  const { lastChange, counts } = news;
  const upToDate = { arrived: lastChange, changed: lastChange };
  const { progress = upToDate } = stream;
  const texts: string[] = [];
  if (Math.max(progress.arrived, progress.changed) > lastChange) {
    // The reader was erased, or the database was restored.
    texts.push(resetText);
    Object.assign(progress, upToDate);
  }
  stream.progress = progress;
  const formatId = createFormatId(stream.address, progress);
  const isComplete = addNews(texts, { progress, news, formatId });
  if (isComplete && !isSame(counts, stream.counts)) {
    texts.push(formatCounts(formatId(), counts));
    stream.counts = counts;
  }
  if (texts.length > 0) write(stream, texts.join(''));
  return !isComplete;
}

/** Writes the heartbeat when it is due, or ends the stream if it is over or its client has not read for too long. */
export function beat(stream: Stream, nowMs: number): void {
  if (nowMs >= stream.endsAtMs) {
    stream.res.end();
    return;
  }
  if (nowMs < stream.beatAtMs) return;
  stream.beatAtMs += beatEveryMs;
  if (!stream.isBlocked) {
    write(stream, heartbeatBytes);
    return;
  }
  stream.blockedBeats += 1;
  if (stream.blockedBeats >= maxBlockedBeats) stream.res.destroy();
}

/** Ends the stream with a last text. */
export function endWith({ res }: Stream, text: string): void {
  if (!isOver(res)) res.end(text);
}

/** If the client does not read, the stream is blocked until the response emits `drain`. */
function write(stream: Stream, chunk: string | Buffer): void {
  const { res } = stream;
  if (!isOver(res) && !res.write(chunk)) stream.isBlocked = true;
}

/** It has ended, but maybe not closed yet. */
function isOver(res: Response): boolean {
  return res.writableEnded || res.destroyed;
}

type NewsToAdd = { progress: InboxProgress; news: ReadNews; formatId: () => string };

/** Adds the events after `progress`, which it moves on. Returns true if it added all. */
function addNews(texts: string[], toAdd: NewsToAdd): boolean {
  const { progress, news } = toAdd;
  const hasChanges = addChanges(texts, toAdd);
  // Arrivals come with all changes up to the last one, so the IDs of their events must include these.
  if (!hasChanges || progress.changed < news.lastChange) return false;
  return addArrivals(texts, toAdd) && progress.arrived >= news.lastChange;
}

/** Returns false if it stopped because the texts are long enough. */
function addChanges(texts: string[], { progress, news, formatId }: NewsToAdd): boolean {
  for (const { item, arrived, changed } of news.changes) {
    if (changed <= progress.changed || arrived > progress.arrived) continue;
    if (isLong(texts)) return false;
    progress.changed = changed;
    texts.push(formatState(formatId(), item));
  }
  progress.changed = Math.max(progress.changed, news.readTo.changed);
  return true;
}

/** Returns the same. */
function addArrivals(texts: string[], { progress, news, formatId }: NewsToAdd): boolean {
  for (const { item, arrived } of news.arrivals) {
    if (arrived <= progress.arrived) continue;
    if (isLong(texts)) return false;
    progress.arrived = arrived;
    texts.push(formatItem(formatId(), item));
  }
  progress.arrived = Math.max(progress.arrived, news.readTo.arrived);
  return true;
}

/** At most `itemsPerRead` texts. */
function isLong(texts: readonly string[]): boolean {
  return texts.reduce((sum, { length }) => sum + length, 0) > maxCharactersAtOnce;
}

function createFormatId(address: InboxAddress, progress: InboxProgress): () => string {
  const nowMs = Date.now();
  return () => formatEventId(address, progress, nowMs);
}

function isSame(counts: InboxCounts, before: InboxCounts | undefined): boolean {
  return counts.unseen === before?.unseen && counts.unread === before.unread;
}
