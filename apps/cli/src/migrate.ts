import { migrate } from '@belfry/database';
import { type Command, exitCodes } from './cli';

/** `belfry migrate` */
export function migrateCommand({ migrationsDir }: { migrationsDir: string }): Command {
  return {
    usage: 'migrate',
    summary: 'bring the database to the schema of this version',
    async run({ env, args, out, err }) {
      if (args.length > 0) {
        err(`migrate takes no arguments, and was given "${args.join(' ')}".`);
        return exitCodes.usage;
      }
      const { applied, edited } = await migrate(env.DATABASE_URL, migrationsDir);
      for (const name of applied) out(`Applied ${name}`);
      if (applied.length === 0) out('Nothing to apply: the database has every migration.');
      for (const name of edited) err(`Warning: ${name} was edited after it was applied.`);
      return exitCodes.ok;
    },
  };
}
