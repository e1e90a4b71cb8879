import { EventEmitter } from 'node:events';
import type { InboxNews, InboxProgress } from '@belfry/pipeline/operate';
import { parseEventId } from '@belfry/pipeline/operate';
import { createLogger } from '@belfry/runtime';
import type { InboxItem } from '@belfry/shared';
import type { Response } from 'express';
import fc from 'fast-check';
import type { Stream } from './inbox-stream';
import { createReadStreams, type Reader } from './read-streams';

const log = createLogger({ level: 'error', process: 'test' });
const address = { appId: '0199b1f4-7c10-7b52-8a44-91d0e6f3c2a8', userId: 'ana' };

type StoredItem = InboxItem & { arrived: number; changed: number };

/** An inbox in memory that answers like the statements of `readInboxNews`. */
function createInboxModel() {
  const items: StoredItem[] = [];
  let lastChange = 0;
  return {
    items,
    arrive(bytes: number): void {
      lastChange += 1;
      const times = { createdAtMs: 0, seenAtMs: null, readAtMs: null, archivedAtMs: null };
      const content = { body: 'x'.repeat(bytes) };
      const item = { messageId: `m${lastChange}`, content, status: 'UNREAD' as const, ...times };
      items.push({ ...item, arrived: lastChange, changed: lastChange });
    },
    change(index: number): void {
      const item = items[index % Math.max(items.length, 1)];
      if (!item) return;
      lastChange += 1;
      // The number of the change stands for the state.
      Object.assign(item, { seenAtMs: lastChange, changed: lastChange });
    },
    async readNews(query: { after: InboxProgress; limit: number }): Promise<InboxNews> {
      const { after, limit } = query;
      const pick = (isIncluded: (item: StoredItem) => boolean, by: 'arrived' | 'changed') =>
        items
          .filter(isIncluded)
          .sort((a, b) => a[by] - b[by])
          .slice(0, limit)
          .map((item) => ({ item: { ...item }, arrived: item.arrived, changed: item.changed }));
      return {
        lastChange,
        counts: { unseen: items.filter(({ seenAtMs }) => seenAtMs === null).length, unread: 0 },
        changes: pick(
          ({ arrived, changed }) => changed > after.changed && changed > arrived,
          'changed',
        ),
        arrivals: pick(({ arrived }) => arrived > after.arrived, 'arrived'),
      };
    },
  };
}

type ClientEvent = { name: string; id: string; data: Record<string, unknown> };

/** A client that keeps what it reads. It may lose its connection after any event, and continues from its last ID. */
function createClient(reader: Reader) {
  const states = new Map<unknown, unknown>();
  const itemEvents: unknown[] = [];
  let lastId = '';
  let events: ClientEvent[] = [];
  let stream: Stream;

  function connect(): void {
    events = [];
    const progress =
      lastId === '' ? { arrived: 0, changed: 0 } : parseEventId(address, lastId, Date.now());
    const write = (text: string) => {
      events.push(...parseEvents(text));
      return true;
    };
    const res = Object.assign(new EventEmitter(), {
      write,
      writableEnded: false,
      destroyed: false,
    });
    stream = {
      // The code under test uses only these members.
      res: res as unknown as Response,
      ...{ address, progress, counts: undefined, credentialId: '', endsAtMs: 0, beatAtMs: 0 },
      ...{ isBlocked: false, blockedBeats: 0 },
    };
    reader.streams.add(stream);
  }

  function handle({ name, id, data }: ClientEvent): void {
    lastId = id;
    if (name === 'item') itemEvents.push(data['message_id']);
    if (name === 'state' && !states.has(data['message_id'])) throw new Error('Unknown item');
    if (name !== 'counts') states.set(data['message_id'], data['seen_at']);
  }

  connect();
  return {
    states,
    itemEvents,
    /** Handles everything that arrived, or only `count` events and then reconnects. */
    receive(count?: number): void {
      events.splice(0, count ?? events.length).forEach(handle);
      if (count === undefined) return;
      reader.streams.delete(stream);
      connect();
    },
  };
}

function parseEvents(text: string): ClientEvent[] {
  return [...text.matchAll(/event: (\w+)\nid: (\S+)\ndata: (.*)\n\n/g)].map((match) => {
    const [, name = '', id = '', data = ''] = match;
    return { name, id, data: JSON.parse(data) };
  });
}

type Step = { kind: 'arrive' | 'change' | 'burst' | 'read' | 'cut'; value: number };

function createStep(kind: Step['kind'], maxValue: number): fc.Arbitrary<Step> {
  return fc.record({ kind: fc.constant(kind), value: fc.nat(maxValue) });
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: createStep('arrive', 2_000) },
    { weight: 6, arbitrary: createStep('change', 200) },
    { weight: 1, arbitrary: createStep('burst', 150) },
    { weight: 2, arbitrary: createStep('read', 0) },
    { weight: 2, arbitrary: createStep('cut', 60) },
  ),
  { maxLength: 120 },
);

/** Two clients of one reader; the connection of the first one breaks. */
function createScene() {
  const inbox = createInboxModel();
  const reader: Reader = {
    ...{ address, streams: new Set(), lastChange: 0, isReading: false, isStale: false },
  };
  const readStreams = createReadStreams({ readNews: inbox.readNews, log });
  const [broken, whole] = [createClient(reader), createClient(reader)];
  const read = () => readStreams(reader);
  const run: Record<Step['kind'], (value: number) => unknown> = {
    arrive: inbox.arrive,
    change: inbox.change,
    read,
    burst(value) {
      for (let at = 0; at < value; at += 1) {
        inbox.arrive(10);
        inbox.change(at * 7);
      }
    },
    async cut(value) {
      await read();
      broken.receive(value);
    },
  };
  return { inbox, read, clients: [broken, whole], run };
}

test('a client gets each item once and the last state of each, wherever its connection breaks', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const { inbox, read, clients, run } = createScene();
      for (const { kind, value } of list) await run[kind](value);
      await read();
      const expected = inbox.items.map((item) => [item.messageId, item.seenAtMs]).sort();
      for (const { states, itemEvents, receive } of clients) {
        receive();
        expect([...states].sort()).toEqual(expected);
        expect(new Set(itemEvents).size).toBe(itemEvents.length);
      }
    }),
  );
});
