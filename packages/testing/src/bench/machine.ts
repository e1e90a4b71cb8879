import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { repositoryRoot } from '../test-stores';
import type { BenchWorld } from './world';

/** What a run was made on, and with which versions. */
export async function readMachine({ database, redis }: BenchWorld) {
  const { rows } = await database.lookUps.query<{ server_version: string; fsync: string }>(
    "SELECT current_setting('server_version') AS server_version, current_setting('fsync') AS fsync",
  );
  const [server] = rows;
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMb: Math.round(totalmem() / 1024 / 1024),
    system: `${type()} ${release()}`,
    node: process.version,
    postgres: `${server?.server_version}, fsync ${server?.fsync}`,
    redis: /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown',
  };
}

/** Of others as of the run itself; a figure of a busy machine is to be known as one. */
export function readLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

export function readCommit(): string {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=10', '--exclude=*'];
    return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
