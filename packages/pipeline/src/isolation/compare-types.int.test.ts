import { ownDatabase } from '@belfry/testing';
import pg from 'pg';
import { compareTypes } from './compare-types.fixture';
import {
  describeStatements,
  readDeclaredCalls,
  recordSent,
  type SentStatements,
} from './sql-types.fixture';
import { wrongStatements } from './wrong-types.fixture';

const file = require.resolve('./wrong-types.fixture.ts');

test('a type that differs from the statement is reported', async () => {
  const { url, drop } = await ownDatabase();
  const client = new pg.Client(url);
  await client.connect();
  try {
    const sent: SentStatements = new Map();
    for (const [index, { place }] of readDeclaredCalls([file]).entries()) {
      const query = jest.spyOn(client, 'query');
      const result = await wrongStatements[index]?.(client);
      const [text = '', values = []] = (query.mock.lastCall ?? []) as unknown as [
        string?,
        unknown[]?,
      ];
      recordSent(sent, { place, query: { text, values } }, result ?? {});
      query.mockRestore();
    }
    const described = await describeStatements(url, sent, [file]);
    expect(described.map(compareTypes)).toEqual([
      [],
      ['$2 is integer, but its value is string'],
      ['it returns no column tittle'],
      ['its type lacks the returned column name'],
      ['jobId may be null (message.job_id is nullable), but its type is string'],
      ['name may be null (app is outer-joined), but its type is string'],
      ['note may be null (a row had a null), but its type is string'],
      ['createdAt is timestamp with time zone, but its type says string'],
      ['its rows have no type'],
    ]);
  } finally {
    await client.end();
    await drop();
  }
}, 60_000);
