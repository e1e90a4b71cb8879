/** Describes one command. */
export type Help = {
  /** Each form of the call, without `belfry`. Words in capitals are arguments. */
  usage: string[];
  summary: string;
  /** Each argument of the forms with its meaning. */
  arguments: Record<string, string>;
  /** The meaning of exit code 0, if it is more than success. */
  success?: string;
  /** The meaning of exit code 1. */
  failure: string;
  /** The exit codes that only this command has. */
  otherCodes?: Record<number, string>;
  /** Without `belfry`. */
  example: string;
};

const program = 'belfry';
const helpOption = { '--help': 'Print this help.' };

/** The list of commands. */
export function formatOverview(commands: Record<string, { help: Help }>): string {
  const rows = Object.values(commands).flatMap(({ help }) =>
    help.usage.map((form, index): [string, string] => [form, index === 0 ? help.summary : '']),
  );
  return [
    `Usage: ${program} COMMAND`,
    '',
    ...formatRows(rows),
    '',
    `\`${program} COMMAND --help\` lists the options and exit codes of a command, with an example.`,
    `\`${program}\` stands for \`npm run belfry --\`, or \`node apps/cli/dist/main.js\` in a container.`,
  ].join('\n');
}

/** The forms of one command and its arguments. */
export function formatUsage({ usage, arguments: described }: Help): string {
  const forms = usage.map(
    (form, index) => `${index === 0 ? 'Usage:' : '      '} ${program} ${form}`,
  );
  const rows = Object.entries({ ...described, ...helpOption });
  return [...forms, '', 'Options:', ...formatRows(rows)].join('\n');
}

export function formatHelp(help: Help): string {
  const codes: [string, string][] = [
    ['0', help.success ?? 'Success.'],
    ['1', help.failure],
    ...Object.entries(help.otherCodes ?? {}),
    ['64', 'Wrong arguments.'],
    ['78', 'A setting is missing or invalid.'],
  ];
  codes.sort(([a], [b]) => Number(a) - Number(b));
  return [
    `${help.summary}.`,
    '',
    formatUsage(help),
    '',
    'Exit codes:',
    ...formatRows(codes),
    '',
    'Example:',
    `  ${program} ${help.example}`,
  ].join('\n');
}

function formatRows(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd());
}
