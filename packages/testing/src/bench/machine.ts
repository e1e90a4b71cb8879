import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { repositoryRoot } from '../test-stores';
import type { BenchWorld } from './world';

/** The machine and the versions of a run. */
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

/** The load average before the run. It shows whether the machine was busy. */
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
