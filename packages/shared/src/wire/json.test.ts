import fc from 'fast-check';
import type { Json } from '../data';
import { AppError } from '../errors';
import { parseJson } from './json';

function getCode(text: string | Buffer): string {
  try {
    parseJson(Buffer.from(text as string));
    return 'taken';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

function getSentence(text: string): string {
  try {
    parseJson(Buffer.from(text));
    return 'taken';
  } catch (error) {
    return error instanceof AppError ? error.message : String(error);
  }
}

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}[]${'}'.repeat(levels - 1)}`;
/** 25 keys each, with few commas, so that the limit of separators is not reached first. */
const chains = (count: number) =>
  Array(count)
    .fill(`${'{"k":'.repeat(25)}0${'}'.repeat(25)}`)
    .join();
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

describe('parseJson', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a cut object', '{"a":1'],
    ['two values', '{} {}'],
    ['a comma at the end', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['a raw control character', '{"a":"\u0001"}'],
    ['a raw U+0000', '{"a":"\u0000"}'],
    ['a byte order mark', '\ufeff{}'],
    ['a cut string', '{"a":"\\'],
    ['closing brackets first', `${']'.repeat(40)}${'['.repeat(40)}`.slice(0, 60)],
  ])('rejects %s as malformed_json with the text that old clients expect', (_, text) => {
    expect(getCode(text)).toBe('malformed_json');
    expect(getSentence(text)).toBe('Unable to process JSON');
  });

  test('rejects bytes that are not UTF-8 as malformed_json', () => {
    expect(getCode(Buffer.from([0x22, 0xff, 0x22]))).toBe('malformed_json');
    // A surrogate encoded as UTF-8, which UTF-8 does not allow.
    expect(getCode(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe('malformed_json');
  });

  test.each([
    ['33 levels', nested(33)],
    ['33 levels that never close', '['.repeat(33)],
    ['10 MB of brackets', '['.repeat(10_000_000)],
    ['200,001 separators', `[${'0,'.repeat(200_001)}0]`],
    ['100,001 keys', `{"a":[${chains(4_000)}]}`],
    ['200,001 objects and arrays', `[${'[[[[]]]],'.repeat(49_999)}[[[[]]]],[],[],[],[]]`],
    ['2,001 keys in an unknown member', JSON.stringify({ unknown: keys(2_001) })],
    ['2,001 members of a body', JSON.stringify(keys(2_001))],
    [
      '2,001 keys in objects of one member',
      JSON.stringify({ a: { b: [keys(1_000), keys(1_001)] } }),
    ],
    [
      '2,001 keys in an unknown list of small elements',
      JSON.stringify({ list: Array(1_001).fill(keys(2)) }),
    ],
    ['U+0000 in a value', '{"a":"x\\u0000"}'],
    ['U+0000 in a key', '{"\\u0000":1}'],
    ['a lone high surrogate', '{"a":"\\ud83d"}'],
    ['a lone low surrogate', '{"a":"\\uDE00 x"}'],
    ['surrogates in the wrong order', '{"a":"\\ude00\\ud83d"}'],
    ['a lone surrogate in a key', '{"a":[{"\\udfff":1}]}'],
    ['a number that is not finite', '{"a":1e400}'],
    ['a negative number that is not finite', '{"a":[-1e999]}'],
    ['__proto__', '{"a":{"__proto__":{"b":1}}}'],
    ['an escaped __proto__', '{"\\u005f_proto__":1}'],
    ['2,001 keys in one data', JSON.stringify({ data: keys(2_001) })],
    [
      '2,001 keys in user, data and override together',
      JSON.stringify({ user: keys(700), data: keys(700), override: { email: keys(600) } }),
    ],
    [
      '2,001 keys in one element of a batch',
      JSON.stringify({ batch: [{ data: keys(1) }, { data: { list: [keys(2_000)] } }] }),
    ],
  ])('rejects %s as hostile_json', (_, text) => {
    expect(getCode(text)).toBe('hostile_json');
  });

  test.each([
    ['32 levels', nested(32)],
    ['brackets inside a string', JSON.stringify({ a: '[{'.repeat(100) })],
    ['brackets behind an escaped quote', JSON.stringify({ a: `"${'['.repeat(100)}\\` })],
    ['commas inside a string', JSON.stringify({ a: ','.repeat(300_000) })],
    ['200,000 objects and arrays', `[${'[],'.repeat(199_998)}[]]`],
    ['200,000 separators', `[${'0,'.repeat(200_000)}0]`],
    ['2,000 keys in one data', JSON.stringify({ data: keys(2_000) })],
    ['an emoji by its escapes', '{"a":"\\ud83d\\ude00"}'],
    ['the largest safe integers', '[9007199254740991,-9007199254740991]'],
    ['proto without its underscores', '{"proto":1}'],
    ['constructor and prototype as keys', '{"constructor":{"prototype":[{"constructor":1}]}}'],
  ])('accepts %s', (_, text) => {
    expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  test.each([
    ['{"data":{"order":[{"id":9007199254740993}]}}', 'data.order[0].id must be sent as a string'],
    ['{"data":{"id":9007199254740992}}', 'data.id must be sent as a string'],
    ['{"data":{"id":-12345678901234567890}}', 'data.id must be sent as a string'],
    ['{"data":{"id":1e300}}', 'data.id must be sent as a string'],
    ['9007199254740993', 'body must be sent as a string'],
  ])('rejects %s as validation_failed, because digits would be lost', (text, sentence) => {
    expect(getCode(text)).toBe('validation_failed');
    expect(getSentence(text)).toBe(sentence);
  });

  test('names the path of a hostile value, and truncates a long path', () => {
    expect(getSentence('{"data":{"a":[1,"\\u0000"]}}')).toContain('at data.a[1]');
    expect(getSentence(`{"${'k'.repeat(10_000)}":1e400}`).length).toBeLessThan(400);
  });

  test('uses the last of duplicate keys', () => {
    expect(parseJson(Buffer.from('{"a":1,"a":{"b":2}}'))).toEqual({ a: { b: 2 } });
  });

  test('does not change the prototype of any object', () => {
    expect(getCode('{"__proto__":{"isAdmin":true}}')).toBe('hostile_json');
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  test('returns the value of JSON.parse for every harmless text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(isHarmless(JSON.parse(text)));
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('accepts exactly the texts that JSON.parse accepts and an independent check finds harmless', () => {
    const fragment = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '"a"',
        '1',
        '1e400',
        'null',
        'true',
        ' ',
        '9007199254740992',
      ],
      ...[
        '"\\u0000"',
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"__proto__":1',
        '"constructor":1',
        '"b":',
        '"é✓"',
      ],
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const text = fragments.join('');
        expect(getCode(text) === 'taken').toBe(isHarmlessText(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('returns a value or throws an AppError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        getCode(Buffer.from(bytes));
      }),
    );
  });

  test('finds a bad character anywhere, in keys and in values', () => {
    const bad = fc.constantFrom('\u0000', '\ud800', '\udfff');
    const path = fc.array(fc.oneof(fc.constant(0), fc.string({ unit: 'grapheme-ascii' })), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.string(), bad, path, fc.boolean(), (prefix, character, steps, isKey) => {
        const text = `${prefix}${character}`;
        const start: Json = isKey ? { [text]: 1 } : text;
        const value = steps.reduce<Json>(
          (inner, step) => (step === 0 ? [inner] : { [step]: inner }),
          start,
        );
        expect(getCode(JSON.stringify(value))).toBe('hostile_json');
      }),
    );
  });
});

function isHarmlessText(text: string): boolean {
  try {
    return isHarmless(JSON.parse(text));
  } catch {
    return false;
  }
}

/** An independent implementation: checks the flat list of all keys and values. */
function isHarmless(value: Json): boolean {
  const all: { value: Json; isKey: boolean }[] = [{ value, isKey: false }];
  for (const { value: one } of all) {
    if (typeof one !== 'object' || one === null) continue;
    const keys = Array.isArray(one) ? [] : Object.getOwnPropertyNames(one);
    all.push(...keys.map((key) => ({ value: key, isKey: true })));
    all.push(...Object.values(one).map((member) => ({ value: member, isKey: false })));
  }
  return all.every(({ value: one, isKey }) => {
    if (typeof one === 'number') return Math.abs(one) < 2 ** 53;
    if (typeof one !== 'string') return true;
    return (
      !(isKey && one === '__proto__') && !one.includes('\0') && one === Buffer.from(one).toString()
    );
  });
}
