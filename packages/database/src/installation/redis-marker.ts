import type { RedisConnection } from '@belfry/runtime';
import type { RedisMarker } from './judge-installation';

type MarkerDeps = { redis: RedisConnection; prefix: string };

const getMarkerKey = (prefix: string) => `${prefix}:installation`;

/** The marker; null if there is none, undefined if Redis does not answer. */
export async function readMarker({
  redis,
  prefix,
}: MarkerDeps): Promise<RedisMarker | null | undefined> {
  try {
    return parseMarker(await redis.get(getMarkerKey(prefix)));
  } catch {
    return undefined;
  }
}

const pattern = /^(?<id>[\da-f-]{36}) (?<time>\d{1,16})$/;

function parseMarker(text: string | null): RedisMarker | null {
  const { id, time } = (text === null ? undefined : pattern.exec(text)?.groups) ?? {};
  return id === undefined ? null : { id, checkedAt: new Date(Number(time)) };
}

/** Best effort: the next check repeats it. */
export async function writeMarker(
  { redis, prefix }: MarkerDeps,
  { id, checkedAt }: RedisMarker,
): Promise<void> {
  await redis.set(getMarkerKey(prefix), `${id} ${checkedAt.getTime()}`).catch(() => undefined);
}
