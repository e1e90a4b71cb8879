import { PassThrough } from 'node:stream';
import type { Response } from 'express';
import { beat, endWith, type Stream, writeNews } from './inbox-stream';

const address = { appId: '0199b1f4-7c10-7b52-8a44-91d0e6f3c2a8', userId: 'ana' };
const counts = { unseen: 0, unread: 0 };

function createStream(highWaterMark = 1_000_000) {
  const connection = new PassThrough({ highWaterMark });
  const stream: Stream = {
    // A response is a stream, and the code under test uses only what streams have.
    res: connection as unknown as Response,
    ...{ address, progress: undefined, counts: undefined, credentialId: 'k' },
    ...{ endsAtMs: 100_000, beatAtMs: 15_000, isBlocked: false, blockedBeats: 0 },
  };
  const readText = () => String(connection.read() ?? '');
  return { stream, connection, readText };
}

function createNews(lastChange: number, bodies: string[] = []) {
  const upTo = { arrived: lastChange, changed: lastChange };
  const arrivals = bodies.map((body, index) => {
    const number = lastChange - bodies.length + index + 1;
    const times = { createdAtMs: 0, seenAtMs: null, readAtMs: null, archivedAtMs: null };
    const item = {
      messageId: `m${number}`,
      content: { body },
      status: 'UNREAD' as const,
      ...times,
    };
    return { item, arrived: number, changed: number };
  });
  return { lastChange, counts, changes: [], arrivals, readTo: upTo };
}

test('a stream that begins now gets the counts, and afterwards only what changed', () => {
  const { stream, readText } = createStream();
  expect(writeNews(stream, createNews(5, ['old']))).toBe(false);
  expect(readText()).toMatch(/^event: counts\nid: \S+\ndata: {"unseen":0,"unread":0}\n\n$/);
  writeNews(stream, createNews(5));
  expect(readText()).toBe('');
  writeNews(stream, createNews(6, ['new']));
  expect(readText()).toMatch(
    /^event: item\nid: \S+\ndata: {"message_id":"m6",.*"body":"new".*}\n\n$/,
  );
});

test('no more than 16 KB and one item are written at once', () => {
  const { stream, readText } = createStream();
  writeNews(stream, createNews(0));
  readText();
  const news = createNews(
    10,
    Array.from({ length: 10 }, () => 'x'.repeat(10_000)),
  );
  expect(writeNews(stream, news)).toBe(true);
  expect(readText().match(/event: item/g)).toHaveLength(2);
  while (writeNews(stream, news));
  expect(readText().match(/event: item/g)).toHaveLength(8);
});

test('a progress beyond the last change, as after an erasure, resets the client', () => {
  const { stream, readText } = createStream();
  stream.progress = { arrived: 9, changed: 9 };
  writeNews(stream, createNews(5));
  expect(readText()).toMatch(/^event: reset\ndata: {}\n\nevent: counts\nid: /);
  expect(stream.progress).toEqual({ arrived: 5, changed: 5 });
});

test('a heartbeat comes every 15 seconds', () => {
  const { stream, readText } = createStream();
  beat(stream, 14_999);
  expect(readText()).toBe('');
  for (const nowMs of [15_000, 30_000]) {
    beat(stream, nowMs);
    beat(stream, nowMs + 1_000);
    expect(readText()).toBe(':\n\n');
  }
});

test('a stream ends when its token expires', () => {
  const { stream, connection } = createStream();
  beat(stream, 99_999);
  expect(connection.writableEnded).toBe(false);
  beat(stream, 100_000);
  expect(connection.writableEnded).toBe(true);
  // News that was read meanwhile is not written after the end.
  expect(() => writeNews(stream, createNews(5))).not.toThrow();
  expect(() => endWith(stream, 'more')).not.toThrow();
});

test('a client that does not read gets nothing more, and its connection is closed at the second heartbeat', () => {
  const { stream, connection } = createStream(10);
  writeNews(stream, createNews(5));
  expect(stream.isBlocked).toBe(true);
  const waitingBytes = connection.readableLength + connection.writableLength;
  beat(stream, 15_000);
  expect([connection.destroyed, connection.readableLength + connection.writableLength]).toEqual([
    false,
    waitingBytes,
  ]);
  beat(stream, 30_000);
  expect(connection.destroyed).toBe(true);
});
