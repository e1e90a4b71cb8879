import { checkRedis } from './redis-check';

const good = { redis_version: '7.0.15', maxmemory_policy: 'noeviction', aof_enabled: '1' };

function check(changes: Record<string, string | undefined> = {}) {
  const facts = Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined);
  return checkRedis(new Map(facts.map(([name, value]) => [name, String(value)])));
}

describe('checkRedis', () => {
  test.each([
    {},
    { redis_version: '7.0.8' },
    { redis_version: '7.4.6' },
    { redis_version: '10.0.0' },
    { redis_version: '6.0.0', valkey_version: '7.2.4' },
  ])('accepts %j', (changes) => {
    expect(check(changes)).toEqual({ refusals: [], warnings: [] });
  });

  test.each([['6.2.14'], ['7.0.7'], ['unreadable'], [undefined]])(
    'rejects version %s, and names the required one',
    (redis_version) => {
      expect(check({ redis_version }).refusals).toEqual([
        expect.stringMatching(/too old\. Install 7\.0\.8 or newer, or Valkey\.$/),
      ]);
    },
  );

  test.each([['allkeys-lru'], ['volatile-ttl'], [undefined]])(
    'rejects maxmemory-policy %s, and gives the command to change it',
    (maxmemory_policy) => {
      expect(check({ maxmemory_policy }).refusals).toEqual([
        expect.stringContaining('redis-cli CONFIG SET maxmemory-policy noeviction'),
      ]);
    },
  );

  test('warns if Redis does not persist data', () => {
    expect(check({ aof_enabled: '0' })).toEqual({
      refusals: [],
      warnings: [expect.stringContaining('redis-cli CONFIG SET appendonly yes')],
    });
  });

  test('its warning fits into a log field', () => {
    const [warning = ''] = check({ aof_enabled: '0' }).warnings;
    expect(warning.length).toBeLessThanOrEqual(200);
  });
});
