import { createLogger } from '@belfry/runtime';
import { testDatabase } from '@belfry/testing';
import fc from 'fast-check';
import { createDatabase, type Database } from './client';
import { jsonColumn, readJsonColumn } from './json-column';

let database: Database;

beforeAll(async () => {
  const log = createLogger({ level: 'error', process: 'test' });
  database = createDatabase({ url: (await testDatabase()).url, poolSize: 2, log });
});

afterAll(() => database.close());

async function roundTrip(texts: (string | undefined)[]): Promise<unknown> {
  const { rows } = await database.accepting.query<{ texts: unknown }>(
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
