import type { Redis } from 'ioredis';
import { waitForRedis } from './redis';
import type { Findings, StartCheck } from './start-checks';

const connectWaitMs = 1_000;

/** Checks that Redis is suitable before a process uses it. */
export function createRedisCheck(redis: Redis): StartCheck {
  return {
    name: 'redis',
    async read() {
      if (!(await waitForRedis(redis, connectWaitMs))) throw new Error('Redis does not answer');
      return checkRedis(await redis.info());
    },
  };
}

/** Before 7.0.8, a consumer may stop at a delayed job. */
const oldestVersion = [7, 0, 8] as const;

/** `info` is the response of INFO. */
export function checkRedis(info: string): Findings {
  const facts = parseInfo(info);
  const refusals = [findVersionProblem(facts), findEvictionProblem(facts)].flatMap(
    (text) => text ?? [],
  );
  return { refusals, warnings: listPersistenceWarnings(facts) };
}

type Facts = ReadonlyMap<string, string>;

function parseInfo(info: string): Facts {
  const pairs = info.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [name, value] = line.split(/:(.*)/s);
    return name && value !== undefined ? [[name, value]] : [];
  });
  return new Map(pairs);
}

function findVersionProblem(facts: Facts): string | undefined {
  // Valkey's first release is newer than the required Redis version.
  if (facts.has('valkey_version')) return undefined;
  const version = facts.get('redis_version') ?? 'unknown';
  return isAtLeast(version) ? undefined : `Redis: version ${version} is too old. ${upgradeAdvice}`;
}

const upgradeAdvice = `Install ${oldestVersion.join('.')} or newer, or Valkey.`;

function isAtLeast(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, minimum] of oldestVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part !== minimum) return part > minimum;
  }
  return true;
}

function findEvictionProblem(facts: Facts): string | undefined {
  const policy = facts.get('maxmemory_policy');
  if (policy === 'noeviction') return undefined;
  return (
    `Redis: maxmemory-policy is ${policy ?? 'unknown'}, so Redis could evict jobs. ` +
    'Run: redis-cli CONFIG SET maxmemory-policy noeviction (and add it to redis.conf).'
  );
}

function listPersistenceWarnings(facts: Facts): string[] {
  if (facts.get('aof_enabled') === '1') return [];
  return [
    'Redis: appendonly is off, so a restart empties it. That delays messages by seconds, but loses none. ' +
      'Run: redis-cli CONFIG SET appendonly yes (and add it to redis.conf).',
  ];
}
