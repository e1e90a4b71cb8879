import {
  confirmInstallation,
  type Database,
  describePause,
  pauseByOperator,
  readInstallation,
} from '@belfry/database';
import { createLogger, createRedis, type Env, waitForRedis } from '@belfry/runtime';
import { type Command, type CommandCall, type ExitCode, exitCodes, UsageError } from './cli';
import { needSettings } from './need-settings';
import { withDatabase } from './open-database';

/** `belfry installation`, `belfry installation pause` and `belfry installation confirm` */
export const installationCommand: Command = {
  help: {
    usage: ['installation', 'installation pause', 'installation confirm'],
    summary:
      'Show whether this installation may send, pause it, or confirm that it is the real one and not a copy',
    arguments: {},
    success: 'Sending is not paused; after `pause`: nothing is sent or accepted within 5 s.',
    failure: 'Sending is paused, a store did not answer, or nothing changed.',
    example: 'installation confirm',
  },
  async run(call) {
    const [verb, ...rest] = call.args;
    if (rest.length > 0) throw new UsageError('Enter one argument.');
    if (verb === undefined) return show(call);
    if (verb === 'pause') return pause(call);
    if (verb === 'confirm') return confirm(call);
    throw new UsageError('Enter `pause`, `confirm` or nothing after `installation`.');
  },
};

async function show({ env, out }: CommandCall): Promise<ExitCode> {
  const row = await withDatabase(env, ({ accepting }) => readInstallation(accepting));
  if (row?.pausedAt) {
    out(`${describePause(row.pauseReason ?? 'operator')} (since ${row.pausedAt.toISOString()})`);
    return exitCodes.failed;
  }
  out(row ? `Sending is not paused. Installation ${row.id}.` : 'This installation never started.');
  return exitCodes.ok;
}

async function pause({ env, out, err }: CommandCall): Promise<ExitCode> {
  if (await withDatabase(env, ({ accepting }) => pauseByOperator(accepting))) {
    out('Paused. To send again: belfry installation confirm');
    return exitCodes.ok;
  }
  err('Sending was paused already. Nothing changed.');
  return exitCodes.failed;
}

const redisTimeoutMs = 5_000;

async function confirm({ env, out, err }: CommandCall): Promise<ExitCode> {
  const before = await withDatabase(env, (database) => confirmOn(env, database));
  if (!before) {
    err('Redis does not answer, so other copies would not pause. Nothing changed.');
    return exitCodes.failed;
  }
  out(before.pausedAt ? 'Confirmed. Sending goes on within 5 s.' : 'Confirmed. It was not paused.');
  return exitCodes.ok;
}

async function confirmOn(env: Env<'cli'>, { accepting: pool }: Database) {
  needSettings(env, ['REDIS_URL']);
  const redis = createRedis({
    url: env.REDIS_URL,
    log: createLogger({ level: 'error', process: 'cli' }),
  });
  try {
    await waitForRedis(redis, redisTimeoutMs);
    return await confirmInstallation({ pool, redis, prefix: env.REDIS_PREFIX });
  } finally {
    redis.disconnect();
  }
}
