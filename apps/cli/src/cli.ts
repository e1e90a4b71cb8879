import { type Env, EnvError } from '@belfry/runtime';

/** One command of `belfry`: what it does in a line, and the doing. */
export type Command = {
  /** How it is called, behind `belfry`. */
  usage: string;
  summary: string;
  run(call: CommandCall): Promise<ExitCode>;
};

export type CommandCall = {
  env: Env<'cli'>;
  /** What stood behind the command's name. */
  args: string[];
  out: Print;
  err: Print;
};

export type Print = (line: string) => void;

/** 64 and 78 are those of sysexits.h. */
export const exitCodes = { ok: 0, failed: 1, usage: 64, configuration: 78 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export type CliDeps = {
  commands: Record<string, Command>;
  args: string[];
  /** Throws EnvError for what is missing or wrong. */
  readSettings(): Env<'cli'>;
  out: Print;
  err: Print;
};

/** Runs the command that the first argument names; never throws for what a command meets. */
export async function runCli(deps: CliDeps): Promise<ExitCode> {
  const { commands, out, err } = deps;
  const [name, ...args] = deps.args;
  if (name === 'help' || name === '--help') {
    out(formatUsage(commands));
    return exitCodes.ok;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    if (name !== undefined) err(`There is no command "${name}".`);
    err(formatUsage(commands));
    return exitCodes.usage;
  }
  try {
    return await command.run({ env: deps.readSettings(), args, out, err });
  } catch (error) {
    err(describe(error));
    return error instanceof EnvError ? exitCodes.configuration : exitCodes.failed;
  }
}

function formatUsage(commands: Record<string, Command>): string {
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length));
  const lines = Object.values(commands).map(
    ({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`,
  );
  return ['Usage: belfry <command>', '', ...lines].join('\n');
}

/** A host with several addresses that all refuse gives an error without a message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(describe).join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
