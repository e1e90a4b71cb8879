import { readTestEnv, workerId } from './test-env';

/** Redis has 16 databases; the first stays free for manual use. */
const databases = 15;

/** A database number and a key prefix for this Jest worker, on a Redis that no test may flush, pause or stop. */
export function testRedis(): { url: string; prefix: string } {
  const url = new URL(readTestEnv('TEST_REDIS_URL'));
  const worker = workerId();
  // A URL with a database comes from outside: its other databases are not ours.
  if (url.pathname.length <= 1) url.pathname = `/${((worker - 1) % databases) + 1}`;
  return { url: url.href, prefix: `test-w${worker}` };
}
