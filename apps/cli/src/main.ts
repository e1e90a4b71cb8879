import path from 'node:path';
import { readEnv } from '@belfry/runtime';
import { runCli } from './cli';
import { migrateCommand } from './migrate';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');

/** Every command, by the name that it is called by. */
const commands = {
  migrate: migrateCommand({ migrationsDir }),
};

void runCli({
  commands,
  args: process.argv.slice(2),
  readSettings: () => readEnv('cli'),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
}).then((code) => {
  process.exitCode = code;
});
