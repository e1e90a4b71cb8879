import { EnvError, readEnv } from './env';
import type { Setting } from './setting-kinds';
import { settings } from './settings';

const required = {
  DATABASE_URL: 'postgresql://a@127.0.0.1/b',
  REDIS_URL: 'redis://127.0.0.1',
  BELFRY_KEYS: 'k1:x',
  PUBLIC_URL: 'https://notify.example.com',
};

function listProblems(
  source: Record<string, string>,
  processName: 'api' | 'worker' | 'dashboard' = 'worker',
): string[] {
  try {
    readEnv(processName, source);
    return [];
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return error.problems.map(({ name, problem }) => `${name} ${problem}`);
  }
}

const hostsProblem = 'must be host names or addresses, comma separated, without ports';

describe('readEnv', () => {
  test('uses defaults for unset variables', () => {
    expect(readEnv('api', required)).toMatchObject({ API_PORT: 4400, ALLOW_HTTP: false });
  });

  test('lists every missing setting at once', () => {
    const missing = Object.keys(required).map((name) => `${name} is missing`);
    expect(listProblems({}, 'api').sort()).toEqual(missing.sort());
  });

  test('rejects a PUBLIC_URL that is not a URL', () => {
    const source = { ...required, PUBLIC_URL: 'notify.example.com' };
    expect(listProblems(source, 'api')).toEqual(['PUBLIC_URL must be a URL']);
  });

  test('rejects a DATABASE_REPLICA_URL of another kind, and accepts several hosts', () => {
    const source = { ...required, DATABASE_REPLICA_URL: 'replica:5432' };
    expect(listProblems(source, 'dashboard')).toEqual([
      'DATABASE_REPLICA_URL must start with postgresql://',
    ]);
    const several = { ...required, DATABASE_REPLICA_URL: 'postgresql://a@one:5432,two:5432/b' };
    expect(listProblems(several, 'dashboard')).toEqual([]);
  });

  test('rejects a REDIS_URL that names a Cluster and a database', () => {
    const source = { ...required, REDIS_URL: 'redis+cluster://a/1' };
    expect(listProblems(source)).toEqual([
      'REDIS_URL must not name a database: a Cluster has only database 0',
    ]);
  });

  test.each([
    ['redis://a', 'belfry', 'belfry'],
    ['redis+sentinel://a/main', 'belfry', 'belfry'],
    ['redis+cluster://a', 'belfry', '{belfry}'],
    ['rediss+cluster://a', '{belfry}', '{belfry}'],
  ])('for %s, REDIS_PREFIX %s means %s', (url, prefix, expected) => {
    const source = { ...required, REDIS_URL: url, REDIS_PREFIX: prefix };
    expect(readEnv('worker', source).REDIS_PREFIX).toBe(expected);
  });

  test('rejects a REDIS_PREFIX that puts all keys of a Cluster into one slot', () => {
    const source = { ...required, REDIS_URL: 'redis+cluster://a', REDIS_PREFIX: 'a{b}' };
    expect(listProblems(source)).toEqual([
      'REDIS_PREFIX must have no braces in a Cluster, or stand in braces as a whole',
    ]);
  });

  test('requires only the settings that the process reads', () => {
    expect(readEnv('cli', { DATABASE_URL: required.DATABASE_URL })).not.toHaveProperty('API_PORT');
  });

  test('does not require settings that only some commands need', () => {
    expect(readEnv('cli', { DATABASE_URL: required.DATABASE_URL })).toMatchObject({
      REDIS_URL: '',
      BELFRY_KEYS: '',
    });
    expect(() => readEnv('worker', { DATABASE_URL: required.DATABASE_URL })).toThrow('REDIS_URL');
  });

  test.each([
    ['RELAY_POLL_MS', '10', 'must be a whole number from 20 to 10000'],
    ['RELAY_POLL_MS', '1e3', 'must be a whole number from 20 to 10000'],
    ['ALLOWED_PRIVATE_HOSTS', 'http://mail', hostsProblem],
    ['ALLOWED_PRIVATE_HOSTS', 'mail.internal:25', hostsProblem],
    ['LOG_LEVEL', 'loud', 'must be one of error, warn, info, debug'],
    ['RETRY_CAP_MS', '1', 'must not be below RETRY_BASE_MS'],
  ])('rejects %s=%s and states the allowed values', (name, value, problem) => {
    expect(listProblems({ ...required, [name]: value })).toEqual([`${name} ${problem}`]);
  });

  test.each([
    [{ ADMIN_EMAIL: 'a@example.com' }, 'ADMIN_PASSWORD is required with ADMIN_EMAIL'],
    [{ ADMIN_PASSWORD: 'long enough for it' }, 'ADMIN_EMAIL is required with ADMIN_PASSWORD'],
    [
      { ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: 'too short' },
      'ADMIN_PASSWORD must have 12 to 256 characters',
    ],
  ])('rejects an administrator of %j', (input, problem) => {
    expect(listProblems({ ...required, ...input }, 'dashboard')).toEqual([problem]);
  });

  test('rejects a simulator address in production', () => {
    const source = { ...required, NODE_ENV: 'production', SLACK_API_URL: 'http://127.0.0.1:1/' };
    expect(listProblems(source)).toEqual([
      'SLACK_API_URL is for simulators and not allowed in production',
    ]);
  });
});

describe('settings', () => {
  test.each(Object.entries<Setting>(settings))('%s has a description', (_name, setting) => {
    expect(setting.help).toMatch(/^[A-Z].+[.]$/);
    expect(setting.for.length).toBeGreaterThan(0);
  });
});
