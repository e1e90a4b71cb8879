import path from 'node:path';
import { mergeEnvironment, readEnv } from '@belfry/runtime';
import { accountCommand } from './account';
import { appCommand } from './app';
import { runCli } from './cli';
import { doctorCommand } from './doctor';
import { keysCommand } from './keys';
import { readLocalSettings } from './local-settings';
import { migrateCommand } from './migrate';
import { openChecks } from './open-checks';
import { operatorCommand } from './operator';

const root = path.resolve(__dirname, '..', '..', '..');
const migrationsDir = path.join(root, 'prisma', 'migrations');

/** Every command, by the name that it is called by. */
const commands = {
  doctor: doctorCommand({ openChecks: (env) => openChecks(env, migrationsDir) }),
  account: accountCommand,
  app: appCommand,
  operator: operatorCommand,
  keys: keysCommand,
  migrate: migrateCommand({ migrationsDir }),
};

void runCli({
  commands,
  args: process.argv.slice(2),
  readSettings: () =>
    readEnv('cli', mergeEnvironment(readLocalSettings(path.join(root, '.belfry')))),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
}).then((code) => {
  process.exitCode = code;
});
