import { openDatabase, testDatabase } from '@belfry/testing';
import fc from 'fast-check';
import { byteaArray, jsonColumn, plainArray, readJsonColumn, textArray } from './array-parameters';
import type { Database } from './client';

let database: Database;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 1 });
});
afterAll(() => database.close());

async function readBack(type: string, parameter: Buffer | string): Promise<unknown[]> {
  const { rows } = await database.lookUps.query<{ result: unknown[] }>(
    `SELECT $1::${type}[] AS result`,
    [parameter],
  );
  return rows[0]?.result.map((value) => value ?? undefined) ?? [];
}

const storableText = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('', 'NULL', '{}', '"', '\\', ',', "'", ' '),
  )
  .filter((value) => !value.includes('\0'));
const some = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.option(value, { nil: undefined }), { maxLength: 12 });

async function expectReadBack<T>(
  type: string,
  values: fc.Arbitrary<T[]>,
  toArray: (values: T[]) => Buffer | string,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(values, async (input) => {
      expect(await readBack(type, toArray(input))).toEqual(input);
    }),
    { numRuns: 50 },
  );
}

describe('an array parameter', () => {
  test('of texts arrives in PostgreSQL unchanged, for any text', () =>
    expectReadBack('text', some(storableText), textArray));

  test('of bytes arrives unchanged', () =>
    expectReadBack(
      'bytea',
      fc.array(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
      byteaArray,
    ));

  test.each([
    ['uuid', fc.uuid()],
    ['int', fc.integer()],
    ['float8', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['bool', fc.boolean()],
    [
      'timestamptz',
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
    ],
  ] as [string, fc.Arbitrary<string | number | boolean | Date>][])(
    'of %s arrives unchanged, with null for undefined',
    (type, value) => expectReadBack(type, some(value), plainArray),
  );

  test.each(['0199b1f5', '0199b1f5-21c8-7e0a-b3d4-5c6f7081,NUL', `${'a'.repeat(37)}`])(
    'refuses a text that is not a UUID: %s',
    (text) => {
      expect(() => plainArray([text])).toThrow('not a UUID');
    },
  );
});

async function roundTrip(texts: (string | undefined)[]): Promise<unknown> {
  const { rows } = await database.lookUps.query<{ texts: unknown }>(
    `SELECT ${readJsonColumn('$1')} AS texts`,
    [jsonColumn(texts)],
  );
  return rows[0]?.texts;
}

describe('a JSON column parameter', () => {
  test.each([
    [[]],
    [[undefined]],
    [['{}', undefined, '""']],
    [['"\\u001f"', JSON.stringify('\u001e\u001f'), '[1,"a\\"b","\\\\"]']],
  ])('arrives unchanged: %j', async (texts) => {
    expect(await roundTrip(texts)).toEqual(texts.map((text) => text ?? null));
  });

  test('arrives unchanged for any JSON', async () => {
    const text = fc.option(
      fc.jsonValue().map((value) => JSON.stringify(value).replaceAll('\\u0000', '')),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 20 }), async (texts) => {
        expect(await roundTrip(texts)).toEqual(texts.map((each) => each ?? null));
      }),
      { numRuns: 200 },
    );
  });

  test.each([['a\u001fb'], ['\u001e']])('refuses a text that is not JSON: %j', (text) => {
    expect(() => jsonColumn([text])).toThrow('not JSON');
  });
});
