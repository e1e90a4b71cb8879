import { judgePostgres, judgeSchema } from './server-check';

const good = { version: 150_004, fsync: 'on', synchronousCommit: 'on' };

describe('judgePostgres', () => {
  test.each([
    {},
    { version: 180_004 },
    { synchronousCommit: 'local' },
    { synchronousCommit: 'remote_apply' },
  ])('finds nothing wrong with %j', (changes) => {
    expect(judgePostgres({ ...good, ...changes })).toEqual([]);
  });

  test.each([
    [{ version: 140_011 }, 'version 14.11 is too old. Install 15 or newer.'],
    [{ fsync: 'off' }, 'ALTER SYSTEM SET fsync = on'],
    [{ synchronousCommit: 'off' }, 'ALTER SYSTEM SET synchronous_commit = on'],
  ])('refuses %j, and says what to do', (changes, text) => {
    expect(judgePostgres({ ...good, ...changes })).toEqual([expect.stringContaining(text)]);
  });
});

describe('judgeSchema', () => {
  test('takes the schema that it knows', () => {
    expect(judgeSchema({ state: 'ok', missing: [], unknown: [] })).toEqual([]);
  });

  test('refuses a schema that is behind, with the command that brings it here', () => {
    const [text] = judgeSchema({ state: 'behind', missing: ['2_b'], unknown: [] });
    expect(text).toContain('2_b');
    expect(text).toContain('npm run db:migrate');
  });

  test('refuses a schema that is ahead, and names what it does not know', () => {
    const [text] = judgeSchema({ state: 'ahead', missing: [], unknown: ['9_z'] });
    expect(text).toContain('9_z');
    expect(text).toContain('Start the version that brought it');
  });
});
