import { accountCommand } from './account';
import { appCommand } from './app';
import type { Command } from './cli';
import { doctorCommand } from './doctor';
import { keysCommand } from './keys';
import { migrateCommand } from './migrate';
import { openChecks } from './open-checks';
import { operatorCommand } from './operator';

/** Every command by its name. */
export function createCommands(migrationsDir: string): Record<string, Command> {
  return {
    doctor: doctorCommand({ openChecks: (env) => openChecks(env, migrationsDir) }),
    account: accountCommand,
    app: appCommand,
    operator: operatorCommand,
    keys: keysCommand,
    migrate: migrateCommand({ migrationsDir }),
  };
}
