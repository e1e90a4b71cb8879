import { createLogger } from '@belfry/runtime';
import { testDatabase } from '@belfry/testing';
import fc from 'fast-check';
import { byteaArray, plainArray, textArray } from './array-parameters';
import { createDatabase, type Database } from './client';

let database: Database;

beforeAll(async () => {
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url: (await testDatabase()).url, poolSize: 1, log });
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

describe('an array as a parameter', () => {
  test('of texts is read by PostgreSQL as it was given, whatever stands in them', () =>
    expectReadBack('text', some(storableText), textArray));

  test('of bytes is read as it was given', () =>
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
    'of %s is read as it was given, with nothing where nothing was',
    (type, value) => expectReadBack(type, some(value), plainArray),
  );

  test.each(['0199b1f5', '0199b1f5-21c8-7e0a-b3d4-5c6f7081,NUL', `${'a'.repeat(37)}`])(
    'a text that is no UUID never takes the place of its neighbours: %s',
    (text) => {
      expect(() => plainArray([text])).toThrow('no UUID');
    },
  );
});
