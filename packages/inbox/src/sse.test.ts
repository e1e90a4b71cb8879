import fc from 'fast-check';
import { createSseParser, type SseEvent } from './sse';

type Result = { events: SseEvent[]; retries: number[] };

function parse(chunks: Iterable<Uint8Array>, lastEventId = ''): Result {
  const result: Result = { events: [], retries: [] };
  const push = createSseParser({
    lastEventId,
    onEvent: (event) => result.events.push(event),
    onRetry: (ms) => result.retries.push(ms),
  });
  for (const chunk of chunks) push(chunk);
  return result;
}

const encode = (text: string) => new TextEncoder().encode(text);
const parseText = (text: string, lastEventId?: string) => parse([encode(text)], lastEventId);

describe('createSseParser', () => {
  // The first four are the examples of the specification.
  test.each([
    ['several data lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [['message', 'YHOO\n+2\n10', '']]],
    [
      'comments, ids, and an id that is reset',
      ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
      [
        ['message', 'first event', '1'],
        ['message', 'second event', ''],
        ['message', ' third event', ''],
      ],
    ],
    [
      'empty data, and an event that the stream does not finish',
      'data\n\ndata\ndata\n\ndata:',
      [
        ['message', '', ''],
        ['message', '\n', ''],
      ],
    ],
    [
      'one optional space after the colon',
      'data:test\n\ndata: test\n\n',
      [
        ['message', 'test', ''],
        ['message', 'test', ''],
      ],
    ],
    ['CR as line end', 'event: item\rdata: 1\r\r', [['item', '1', '']]],
    ['CR LF as line end', 'event: item\r\ndata: 1\r\n\r\n', [['item', '1', '']]],
    ['mixed line ends', 'event: item\r\ndata: 1\ndata: 2\r\r\n', [['item', '1\n2', '']]],
    ['a byte order mark', '\uFEFFdata: 1\n\n', [['message', '1', '']]],
    ['a second byte order mark as part of a name', '\uFEFF\uFEFFdata: 1\n\n', []],
    ['colons in a value', 'data: {"a":1}\n\n', [['message', '{"a":1}', '']]],
    ['unknown fields', 'foo: 1\nbar\ndata: 1\n\n', [['message', '1', '']]],
    ['an event without data', 'event: item\nid: 7\n\ndata: 1\n\n', [['message', '1', '7']]],
    ['an id with a null character', 'id: 1\n\nid: a\0b\ndata: 1\n\n', [['message', '1', '1']]],
  ])('reads %s', (_name, text, events) => {
    const actual = parseText(text).events.map(({ event, data, id }) => [event, data, id]);
    expect(actual).toEqual(events);
  });

  test('keeps the ID from which the stream was resumed until an event names another', () => {
    expect(parseText('data: 1\n\nid: 8\ndata: 2\n\ndata: 3\n\n', '7').events).toEqual([
      { event: 'message', data: '1', id: '7' },
      { event: 'message', data: '2', id: '8' },
      { event: 'message', data: '3', id: '8' },
    ]);
  });

  test('accepts only digits as reconnection time', () => {
    const { retries } = parseText('retry: 1500\nretry: 1.5\nretry: -1\nretry:\nretry: 1e3\n');
    expect(retries).toEqual([1_500]);
  });

  test('gives the same events for any division of the bytes', () => {
    const ends = fc.constantFrom('\n', '\r', '\r\n');
    const names = fc.constantFrom('data', 'event', 'id', 'retry', '', 'foo', 'dat', '\uFEFFdata');
    const values = fc.oneof(
      fc.string({ maxLength: 8, unit: 'grapheme' }),
      fc.constantFrom('1', '{"a":"😀"}', ' ', '\0', 'é漢'),
    );
    const lines = fc.tuple(names, fc.constantFrom(':', ': ', ''), values, ends);
    const parts = fc.oneof(
      lines.map((line) => line.join('')),
      ends,
    );
    const texts = fc.tuple(fc.constantFrom('', '\uFEFF'), fc.array(parts, { maxLength: 20 }));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 12 }), ([mark, rows], cuts) => {
        // Node's decoder, unlike that of browsers, also removes a second mark after one that came alone.
        const bytes = encode(mark + rows.join('').replace(/^\uFEFF+/, ''));
        const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
        const sorted = places.sort((a, b) => a - b);
        const chunks = sorted.map((end, index) => bytes.slice(sorted[index - 1] ?? 0, end));
        expect(parse(chunks)).toEqual(parse([bytes]));
        expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(parse([bytes]));
      }),
      { numRuns: 500 },
    );
  });

  test('refuses an event that grows without end', () => {
    const push = createSseParser({ lastEventId: '', onEvent: () => {}, onRetry: () => {} });
    const chunk = encode('x'.repeat(100_000));
    expect(() => {
      for (let count = 0; count < 20; count += 1) push(chunk);
    }).toThrow('too large');
  });
});
