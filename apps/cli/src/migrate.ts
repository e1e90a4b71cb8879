import { migrate } from '@belfry/database';
import { type Command, exitCodes, UsageError } from './cli';

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
      const { applied, edited } = await migrate(env.DATABASE_URL, migrationsDir);
      for (const name of applied) out(`Applied ${name}`);
      if (applied.length === 0) out('Nothing to apply. The database has every migration.');
      for (const name of edited) err(`Warning: ${name} was edited after it was applied.`);
      return exitCodes.ok;
    },
  };
}
