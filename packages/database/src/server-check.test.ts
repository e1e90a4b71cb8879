import { judgePostgres, judgeSchema } from './server-check';

const good = {
  version: 150_004,
  fsync: 'on',
  synchronousCommit: 'on',
  isSettingKept: true,
  isReadOnly: false,
};

describe('judgePostgres', () => {
  test.each([
    {},
    { version: 180_004 },
    { synchronousCommit: 'local' },
    { synchronousCommit: 'remote_apply' },
  ])('accepts %j', (changes) => {
    expect(judgePostgres({ ...good, ...changes })).toEqual([]);
  });

  test.each([
    [{ version: 140_011 }, 'version 14.11 is too old. Install 15 or newer.'],
    [{ isSettingKept: false }, 'Set DATABASE_POOLING=transaction'],
    [{ isReadOnly: true }, 'Use the URL of the primary'],
    [{ fsync: 'off' }, 'ALTER SYSTEM SET fsync = on'],
    [{ synchronousCommit: 'off' }, 'ALTER SYSTEM SET synchronous_commit = on'],
  ])('refuses %j, and tells what to do', (changes, text) => {
    expect(judgePostgres({ ...good, ...changes })).toEqual([expect.stringContaining(text)]);
  });
});

describe('judgeSchema', () => {
  test('accepts the current schema', () => {
    expect(judgeSchema({ state: 'ok', missing: [], unknown: [] })).toEqual([]);
  });

  test('refuses a database from before the first release, and names the command that empties it', () => {
    const [text] = judgeSchema({ state: 'older', missing: ['2_b'], unknown: ['1_a'] });
    expect(text).toContain('1_a');
    expect(text).toContain('DROP SCHEMA public CASCADE');
  });

  test('refuses a schema that is behind, and names the command that updates it', () => {
    const [text] = judgeSchema({ state: 'behind', missing: ['2_b'], unknown: [] });
    expect(text).toContain('2_b');
    expect(text).toContain('npm run db:migrate');
  });

  test('refuses a schema that is ahead, and names the unknown migrations', () => {
    const [text] = judgeSchema({ state: 'ahead', missing: [], unknown: ['9_z'] });
    expect(text).toContain('9_z');
    expect(text).toContain('Start the version that added it');
  });
});
