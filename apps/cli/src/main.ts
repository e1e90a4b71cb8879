import path from 'node:path';
import { mergeEnvironment, readEnv } from '@belfry/runtime';
import { runCli } from './cli';
import { createCommands } from './commands';
import { readLocalSettings } from './local-settings';

const root = path.resolve(__dirname, '..', '..', '..');

void runCli({
  commands: createCommands(path.join(root, 'prisma', 'migrations'), mergeEnvironment({})),
  args: process.argv.slice(2),
  readSettings: () =>
    readEnv('cli', mergeEnvironment(readLocalSettings(path.join(root, '.belfry')))),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
}).then((code) => {
  process.exitCode = code;
});
