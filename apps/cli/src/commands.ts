import { accountCommand } from './account';
import { appCommand } from './app';
import type { Command } from './cli';
import { configCommand } from './config';
import { doctorCommand } from './doctor';
import { installationCommand } from './installation';
import { keysCommand } from './keys';
import { migrateCommand } from './migrate';
import { openChecks } from './open-checks';
import { operatorCommand } from './operator';

/** Every command by its name. `variables` are the environment, for the references in configuration files. */
export function createCommands(
  migrationsDir: string,
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, Command> {
  return {
    doctor: doctorCommand({ openChecks: (env) => openChecks(env, migrationsDir) }),
    account: accountCommand,
    app: appCommand,
    config: configCommand({ variables }),
    installation: installationCommand,
    operator: operatorCommand,
    keys: keysCommand,
    migrate: migrateCommand({ migrationsDir }),
  };
}
