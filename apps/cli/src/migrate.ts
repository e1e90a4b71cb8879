import { migrate } from '@belfry/database';
import type { Env } from '@belfry/runtime';
import { type Command, exitCodes, UsageError } from './cli';
import { needSettings } from './need-settings';

/** Migrations need a session: they hold a lock until they end. */
function getDirectUrl(env: Env<'cli'>): string {
  if (env.DATABASE_POOLING === 'transaction') needSettings(env, ['DATABASE_DIRECT_URL']);
  return env.DATABASE_DIRECT_URL || env.DATABASE_URL;
}

/** `belfry migrate` */
export function migrateCommand({ migrationsDir }: { migrationsDir: string }): Command {
  return {
    help: {
      usage: ['migrate'],
      summary: 'Apply the missing migrations to the database',
      arguments: {},
      success: 'The database has every migration.',
      failure: 'A migration or the database failed.',
      example: 'migrate',
    },
    async run({ env, args, out, err }) {
      if (args.length > 0) {
        throw new UsageError(`\`migrate\` takes no arguments (got "${args.join(' ')}").`);
      }
      const { applied, edited } = await migrate(getDirectUrl(env), migrationsDir);
      for (const name of applied) out(`Applied ${name}`);
      if (applied.length === 0) out('Nothing to apply. The database has every migration.');
      for (const name of edited) err(`Warning: ${name} was edited after it was applied.`);
      return exitCodes.ok;
    },
  };
}
