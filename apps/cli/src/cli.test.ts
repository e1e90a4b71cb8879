import { EnvError, readEnv } from '@belfry/runtime';
import { type CliDeps, type Command, runCli, UsageError } from './cli';
import type { Help } from './help';

const env = readEnv('cli', { DATABASE_URL: 'postgresql://nowhere/belfry' });

const help: Help = {
  usage: ['sweep [TABLE]', 'sweep all'],
  summary: 'Delete expired rows',
  arguments: { TABLE: 'Name of a table.' },
  failure: 'A row could not be deleted.',
  example: 'sweep request',
};
const overview = [
  'Usage: belfry COMMAND',
  '',
  '  sweep [TABLE]  Delete expired rows',
  '  sweep all',
  '',
  '`belfry COMMAND --help` lists the options and exit codes of a command, with an example.',
  '`belfry` stands for `npm run belfry --`, or `node apps/cli/dist/main.js` in a container.',
].join('\n');
const usage = [
  'Usage: belfry sweep [TABLE]',
  '       belfry sweep all',
  '',
  'Options:',
  '  TABLE   Name of a table.',
  '  --help  Print this help.',
];

function setUp(run: Command['run'] = async () => 0, changes: Partial<CliDeps> = {}) {
  const output: { out: string[]; err: string[] } = { out: [], err: [] };
  const deps: CliDeps = {
    commands: { sweep: { help, run } },
    args: ['sweep'],
    readSettings: () => env,
    out: (line) => output.out.push(line),
    err: (line) => output.err.push(line),
    ...changes,
  };
  return { output, run: () => runCli(deps) };
}

describe('runCli', () => {
  test('runs the named command with its settings and arguments', async () => {
    const calls: unknown[] = [];
    const { run } = setUp(
      async ({ env: read, args }) => {
        calls.push([read, args]);
        return 1;
      },
      { args: ['sweep', '--all'] },
    );
    expect(await run()).toBe(1);
    expect(calls).toEqual([[env, ['--all']]]);
  });

  test.each([
    { args: [], messages: [] },
    { args: ['constructor'], messages: ['Unknown command "constructor".'] },
    { args: ['wipe', 'sweep'], messages: ['Unknown command "wipe".'] },
  ])('lists the commands and exits 64 for the arguments $args', async ({ args, messages }) => {
    const { run, output } = setUp(undefined, { args });
    expect(await run()).toBe(64);
    expect(output).toEqual({
      out: [],
      err: [...messages, overview],
    });
  });

  test.each(['help', '--help', '-h'])('lists the commands and exits 0 for %s', async (word) => {
    const { run, output } = setUp(undefined, { args: [word] });
    expect(await run()).toBe(0);
    expect(output.out).toEqual([overview]);
  });

  test.each(['--help', '-h'])(
    'prints the help of a command for %s and does not run it',
    async (flag) => {
      const { run, output } = setUp(() => Promise.reject(new Error('ran')), {
        args: ['sweep', 'all', flag],
      });
      expect(await run()).toBe(0);
      const exitCodeLines = [
        '  0   Success.',
        '  1   A row could not be deleted.',
        '  64  Wrong arguments.',
        '  78  A setting is missing or invalid.',
      ];
      const lines = ['Delete expired rows.', '', ...usage, '', 'Exit codes:', ...exitCodeLines];
      expect(output).toEqual({
        out: [[...lines, '', 'Example:', '  belfry sweep request'].join('\n')],
        err: [],
      });
    },
  );

  test('prints the problem and the usage of the command for wrong arguments, and exits 64', async () => {
    const { run, output } = setUp(() => Promise.reject(new UsageError('Enter a table.')));
    expect(await run()).toBe(64);
    expect(output).toEqual({ out: [], err: ['Enter a table.', usage.join('\n')] });
  });

  test('names every invalid setting and exits 78', async () => {
    const problem = { name: 'DATABASE_URL', problem: 'is missing', example: undefined };
    const { run, output } = setUp(undefined, {
      readSettings: () => {
        throw new EnvError([problem]);
      },
    });
    expect(await run()).toBe(78);
    expect(output.err.join('\n')).toContain('DATABASE_URL: is missing');
  });

  test.each([
    { error: new Error('it broke'), message: 'it broke' },
    { error: 'it broke', message: 'it broke' },
    { error: new AggregateError([new Error('one'), new Error('two')], ''), message: 'one\ntwo' },
  ])('prints the error of a failed command and exits 1', async ({ error, message }) => {
    const { run, output } = setUp(async () => {
      throw error;
    });
    expect(await run()).toBe(1);
    expect(output).toEqual({ out: [], err: [message] });
  });
});
