import { OlderDatabaseError } from '@belfry/database';
import { type Env, EnvError } from '@belfry/runtime';
import { formatHelp, formatOverview, formatUsage, type Help } from './help';

export type Command = {
  /** `--help`, the overview and every usage error are printed from this. */
  help: Help;
  run(call: CommandCall): Promise<ExitCode>;
};

export type CommandCall = {
  env: Env<'cli'>;
  /** The arguments after the command's name. */
  args: string[];
  out: Print;
  err: Print;
};

export type Print = (line: string) => void;

/** 64, 65 and 78 come from sysexits.h. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  differences: 2,
  conflict: 3,
  usage: 64,
  invalidFiles: 65,
  configuration: 78,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Wrong arguments: `runCli` prints the message and the command's usage, and exits with 64. */
export class UsageError extends Error {}

export type CliDeps = {
  commands: Record<string, Command>;
  args: string[];
  /** Throws EnvError if a setting is missing or invalid. */
  readSettings(): Env<'cli'>;
  out: Print;
  err: Print;
};

const helpFlags = ['--help', '-h'];

/** Runs the command named by the first argument. Never throws: prints the error and returns an exit code. */
export async function runCli(deps: CliDeps): Promise<ExitCode> {
  const { commands, out, err } = deps;
  const [name = '', ...args] = deps.args;
  if (name === 'help' || helpFlags.includes(name)) {
    out(formatOverview(commands));
    return exitCodes.ok;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    if (name !== '') err(`Unknown command "${name}".`);
    err(formatOverview(commands));
    return exitCodes.usage;
  }
  if (args.some((arg) => helpFlags.includes(arg))) {
    out(formatHelp(command.help));
    return exitCodes.ok;
  }
  try {
    return await command.run({ env: deps.readSettings(), args, out, err });
  } catch (error) {
    err(describe(error));
    if (error instanceof UsageError) err(formatUsage(command.help));
    return getExitCode(error);
  }
}

function getExitCode(error: unknown): ExitCode {
  if (error instanceof UsageError) return exitCodes.usage;
  const isConfiguration = error instanceof EnvError || error instanceof OlderDatabaseError;
  return isConfiguration ? exitCodes.configuration : exitCodes.failed;
}

/** If a host has several addresses and all refuse, Node throws an AggregateError without a message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(describe).join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
