import { checkRedis } from './redis-check';

const good = { redis_version: '7.0.15', maxmemory_policy: 'noeviction', aof_enabled: '1' };

function judge(changes: Record<string, string | undefined> = {}) {
  const facts = Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined);
  return checkRedis(
    ['# Server', ...facts.map(([name, value]) => `${name}:${value}`), ''].join('\r\n'),
  );
}

describe('judgeRedis', () => {
  test.each([
    {},
    { redis_version: '7.0.8' },
    { redis_version: '7.4.6' },
    { redis_version: '10.0.0' },
    { redis_version: '6.0.0', valkey_version: '7.2.4' },
  ])('finds nothing wrong with %j', (changes) => {
    expect(judge(changes)).toEqual({ refusals: [], warnings: [] });
  });

  test.each([['6.2.14'], ['7.0.7'], ['unreadable'], [undefined]])(
    'refuses version %s, and says which to install',
    (redis_version) => {
      expect(judge({ redis_version }).refusals).toEqual([
        expect.stringMatching(/too old\. Install 7\.0\.8 or newer, or Valkey\.$/),
      ]);
    },
  );

  test.each([['allkeys-lru'], ['volatile-ttl'], [undefined]])(
    'refuses maxmemory-policy %s, with the command that mends it',
    (maxmemory_policy) => {
      expect(judge({ maxmemory_policy }).refusals).toEqual([
        expect.stringContaining('redis-cli CONFIG SET maxmemory-policy noeviction'),
      ]);
    },
  );

  test('only warns where nothing is kept over a restart', () => {
    expect(judge({ aof_enabled: '0' })).toEqual({
      refusals: [],
      warnings: [expect.stringContaining('redis-cli CONFIG SET appendonly yes')],
    });
  });

  test('writes no warning that a log line would cut off', () => {
    const [warning = ''] = judge({ aof_enabled: '0' }).warnings;
    expect(warning.length).toBeLessThanOrEqual(200);
  });
});
