import { Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { AppError } from '../errors';
import { createBulkReader } from './bulk-send';
import { parseJson, parseJsonInSteps } from './json';
import type { WireChannels, WireItem } from './send-event';

const channels: WireChannels = {
  email: { override: Type.Object({ reply_to: Type.Optional(Type.String()) }), recipient: {} },
  toy: {
    override: Type.Object({ colour: Type.Optional(Type.String()) }),
    recipient: { toy_address: Type.String({ maxLength: 5 }) },
  },
};
const reader = createBulkReader(channels, { maxItems: 3, maxInheritedBytes: 200 });

function read(body: unknown): WireItem[] {
  const head = reader.readHead(body as Json);
  if (head.refusal) throw head.refusal;
  return head.elements.map((_, index) => reader.readElement(head, index).item);
}

async function getRefusal(work: () => unknown): Promise<{ code: string; sentence: string }> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, sentence: error.message };
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('the body of events/bulk_send', () => {
  test.each<[string, unknown, string]>([
    ['body must be an object', [], 'invalid_type'],
    ['event must not be blank', { batch: [{ user: {} }] }, 'validation_failed'],
    ['event must be a string', { event: {}, batch: [{ user: {} }] }, 'invalid_type'],
    ['batch must not be empty', { event: 'e' }, 'validation_failed'],
    ['batch must not be empty', { event: 'e', batch: null }, 'validation_failed'],
    ['batch must not be empty', { event: 'e', batch: [] }, 'validation_failed'],
    ['batch must be an array', { event: 'e', batch: {} }, 'invalid_type'],
    [
      'batch must have at most 3 elements',
      { event: 'e', batch: Array.from({ length: 4 }, () => ({ user: {} })) },
      'validation_failed',
    ],
    ['batch[0].user must not be null', { event: 'e', batch: [{}] }, 'validation_failed'],
    [
      'batch[1].user must not be null',
      { event: 'e', batch: [{ user: {} }, { user: null }] },
      'validation_failed',
    ],
    ['batch[0] must be an object', { event: 'e', batch: [null] }, 'invalid_type'],
    [
      'batch[2].user.mobile must be a string',
      { event: 'e', batch: [{ user: {} }, { user: {} }, { user: { mobile: 1 } }] },
      'invalid_type',
    ],
    [
      'batch[0].user.toy_address must be at most 5 characters',
      { event: 'e', batch: [{ user: { toy_address: '123456' } }] },
      'validation_failed',
    ],
    [
      'batch[0].schedule_at must be at most 366 days ahead',
      { event: 'e', batch: [{ user: {}, schedule_at: '2030-01-01' }] },
      'validation_failed',
    ],
    [
      'schedule_at must be epoch milliseconds or an ISO 8601 time',
      { event: 'e', schedule_at: 'soon', batch: [{ user: {} }] },
      'validation_failed',
    ],
    [
      'metadata must be at most 100 bytes for 2 elements',
      {
        event: 'e',
        metadata: { a: 'x'.repeat(100) },
        batch: [{ user: {} }, { user: {} }],
      },
      'validation_failed',
    ],
    [
      'override must be at most 100 bytes for 2 elements',
      {
        event: 'e',
        override: { email: { reply_to: 'x'.repeat(100) } },
        batch: [{ user: {} }, { user: {} }],
      },
      'validation_failed',
    ],
  ])('is refused with "%s"', async (sentence, body, code) => {
    expect(await getRefusal(() => read(body))).toEqual({ code, sentence });
  });

  test('limits the bytes of an override, not its characters', () => {
    const bodyWith = (reply_to: string) => ({
      ...{ event: 'e', override: { email: { reply_to } }, batch: [{ user: {} }] },
    });
    const umlauts = 'ü'.repeat(87);
    const longest = bodyWith(`x${umlauts}`);
    expect(Buffer.byteLength(JSON.stringify(longest.override))).toBe(200);
    expect(read(longest)).toHaveLength(1);
    expect(() => read(bodyWith(`xx${umlauts}`))).toThrow('at most 200 bytes');
  });

  test('accepts null for every optional key', () => {
    const user = { email: 'a@b.c', mobile: null, slack: null, fcm_tokens: null, preferences: null };
    const element = { user, data: null, override: null, schedule_at: null, locale: null };
    const body = { event: 'e', override: null, schedule_at: null, locale: null, batch: [element] };
    expect(read(body)).toEqual([{ user: { email: 'a@b.c' } }]);
  });

  test('keeps null inside data', () => {
    const batch = [{ user: {}, data: { a: null } }];
    expect(read({ event: 'e', batch })).toEqual(batch);
  });

  test('applies override, schedule_at and locale to every element without its own', () => {
    const items = read({
      event: 'e',
      override: { email: { reply_to: 'all' }, toy: { colour: 'red' } },
      schedule_at: 1,
      locale: 'de',
      batch: [
        { user: {} },
        { user: {}, override: { toy: { colour: 'blue' } }, scheduleAt: 2, locale: 'fr' },
        { user: {}, override: { email: {}, providers: {} }, locale: '' },
      ],
    });
    const all = { email: { reply_to: 'all' }, toy: { colour: 'red' } };
    expect(items).toEqual([
      { user: {}, override: all, scheduleAt: 1, locale: 'de' },
      { user: {}, override: { ...all, toy: { colour: 'blue' } }, scheduleAt: 2, locale: 'fr' },
      { user: {}, override: all, scheduleAt: 1, locale: 'de' },
    ]);
  });
});

describe('parseJsonInSteps', () => {
  const parse = (text: string, isBatch = true) =>
    parseJsonInSteps(Buffer.from(text), { isBatch, yieldWhenDue: () => undefined });
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

  test.each([
    '[1]',
    'null',
    '{"a":1}',
    '{"batch":1}',
    '{"event":"e","batch":[{"a":null},2]}',
    '{"batch":[{"":7},[{"":1}],{},"{",{"a":[{"b":"}✓"}]}],"list":[{"c":1}],"batch":[1,{"d":[]}]}',
    '[[{"a":1}],{"b":[{"c":2}]}]',
    ' { "batch" : [ { "é" : 1 } , { } ] } ',
    '{"batch":[{"a":1},{"b":2} ,{"c":3}, {"d":4},5,{"e":6},null,{"f":7},{"g":8}]}',
  ])('parses %s like parseJson', async (text) => {
    expect(await parse(text)).toEqual(parseJson(Buffer.from(text)));
  });

  test.each([
    '{"batch":',
    '{"batch":[{"a":1},{"b":{"__proto__":1}}]}',
    '{"batch":[1e400]}',
    '{"a":{"__proto__":1},"batch":[]}',
    '{"batch":["\\u0000"]}',
    '{"batch":[{"a":1]}',
    '{"batch":[{"a":1}}',
    '{"batch":[{"a":1},]}',
    '{"batch":[{"a":}]}',
    '{"batch":[{"a":1} {"b":1}]}',
    '{"batch":[{"a":1',
    '{"batch":[{,{}]}',
    '{"batch":{"a":1}]}',
    '{"batch":[{"a":}],"batch":[]}',
    '{"batch":[1,9007199254740993]}',
  ])('rejects %j like parseJson', async (text) => {
    const refusal = await getRefusal(() => parse(text));
    expect(refusal).toEqual(await getRefusal(() => parseJson(Buffer.from(text))));
  });

  test('parses or rejects a batch of many elements like parseJson', async () => {
    const elements = Array.from({ length: 400 }, (_, index) => ({
      user: { text: 'é'.repeat(100) },
      data: { text: `é${index}` },
    }));
    const text = JSON.stringify({ batch: elements, list: elements.slice(0, 10) });
    expect(await parse(text)).toEqual(JSON.parse(text));
    for (const bad of ['{"__proto__":1}', '1e400', '"\\u0000"', '{"text":}']) {
      const brokenText = text.replace('{"text":"é399"}', bad);
      const refusal = await getRefusal(() => parse(brokenText));
      expect(refusal).toEqual(await getRefusal(() => parseJson(Buffer.from(brokenText))));
    }
  });

  test('counts keys per element of a batch, and at most 100,000 in total', async () => {
    const batch = (count: number) =>
      JSON.stringify({ batch: Array(count).fill({ data: keys(1_999) }) });
    expect(await parse(batch(49))).toEqual(JSON.parse(batch(49)));
    await expect(parse(batch(51))).rejects.toThrow('over 100000 keys');
  });

  test.each([
    { batch: [{ data: { a: keys(1_000), b: keys(1_000) } }] },
    { batch: [], data: { a: keys(1_000), b: keys(1_000) } },
    { batch: [], unknown: [{ a: keys(1_000) }, { a: keys(1_000) }] },
  ])('rejects over 2,000 keys in one item or outside of the batch: %#', async (body) => {
    await expect(parse(JSON.stringify(body))).rejects.toThrow('over 2000 keys');
  });

  test('counts no batch elements separately in a body without a batch', async () => {
    const body = { batch: [{ a: keys(1_000) }, { a: keys(1_000) }] };
    await expect(parse(JSON.stringify(body), false)).rejects.toThrow('over 2000 keys');
  });

  test('parses a text longer than one step, whatever character is at the boundary', async () => {
    for (const start of ['', 'a', 'aa', 'aaa']) {
      const text = JSON.stringify({ a: start + '😀✓é'.repeat(400_000) });
      expect(await parse(text)).toEqual(JSON.parse(text));
      const escapes = JSON.stringify({ a: start + '\\"[{,'.repeat(400_000) });
      expect(await parse(escapes)).toEqual(JSON.parse(escapes));
    }
  });

  test('yields repeatedly', async () => {
    let callCount = 0;
    const text = JSON.stringify({ batch: Array(50_000).fill({}) });
    const yieldWhenDue = () => {
      callCount += 1;
      return undefined;
    };
    await parseJsonInSteps(Buffer.from(text), { isBatch: true, yieldWhenDue });
    expect(callCount).toBeGreaterThan(10);
  });
});
