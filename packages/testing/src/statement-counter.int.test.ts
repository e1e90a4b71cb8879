import { openDatabase, testDatabase } from './database';
import { createStatementCounter, type StatementCounter } from './statement-counter';

let counter: StatementCounter;

beforeAll(async () => {
  counter = await createStatementCounter((await testDatabase()).url);
});
afterAll(() => counter.close());

describe('a statement counter', () => {
  test('reports each statement that PostgreSQL executes, once, in order and by its text', async () => {
    const database = openDatabase({ url: counter.url, poolSize: 1 });
    const { accepting } = database;
    const large = 'x'.repeat(300_000);
    const statements = await counter.during(async () => {
      await accepting.query('BEGIN');
      await accepting.query('SELECT $1::text', [large]);
      await accepting.query({ name: 'named', text: 'SELECT $1::int', values: [1] });
      await accepting.query({ name: 'named', text: 'SELECT $1::int', values: [2] });
      await accepting.query('COMMIT');
    });
    await database.close();
    expect(statements).toEqual([
      'BEGIN',
      'SELECT $1::text',
      'SELECT $1::int',
      'SELECT $1::int',
      'COMMIT',
    ]);
  });
});
