import { EnvError, readEnv } from '@belfry/runtime';
import { type CliDeps, type Command, runCli } from './cli';

const env = readEnv('cli', { DATABASE_URL: 'postgresql://nowhere/belfry' });

function setUp(run: Command['run'] = async () => 0, changes: Partial<CliDeps> = {}) {
  const output: { out: string[]; err: string[] } = { out: [], err: [] };
  const deps: CliDeps = {
    commands: { tidy: { usage: 'tidy [ROOM]', summary: 'put things away', run } },
    args: ['tidy'],
    readSettings: () => env,
    out: (line) => output.out.push(line),
    err: (line) => output.err.push(line),
    ...changes,
  };
  return { written: output, run: () => runCli(deps) };
}

describe('runCli', () => {
  test('runs the command that is named, with its settings and the rest of the arguments', async () => {
    const calls: unknown[] = [];
    const { run } = setUp(
      async ({ env: read, args }) => {
        calls.push([read, args]);
        return 1;
      },
      { args: ['tidy', '--all'] },
    );
    expect(await run()).toBe(1);
    expect(calls).toEqual([[env, ['--all']]]);
  });

  test.each([
    { args: [], messages: [] },
    { args: ['constructor'], messages: ['There is no command "constructor".'] },
    { args: ['sweep', 'tidy'], messages: ['There is no command "sweep".'] },
  ])('lists the commands and exits 64 when given $args', async ({ args, messages }) => {
    const { run, written: output } = setUp(undefined, { args });
    expect(await run()).toBe(64);
    expect(output).toEqual({
      out: [],
      err: [...messages, 'Usage: belfry <command>\n\n  tidy [ROOM]  put things away'],
    });
  });

  test.each(['help', '--help'])('lists the commands on %s, which is no failure', async (word) => {
    const { run, written: output } = setUp(undefined, { args: [word] });
    expect(await run()).toBe(0);
    expect(output.out).toEqual(['Usage: belfry <command>\n\n  tidy [ROOM]  put things away']);
  });

  test('names every wrong setting and exits 78', async () => {
    const problem = { name: 'DATABASE_URL', problem: 'is missing', example: undefined };
    const { run, written: output } = setUp(undefined, {
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
  ])('says why a command failed and exits 1', async ({ error, message }) => {
    const { run, written: output } = setUp(async () => {
      throw error;
    });
    expect(await run()).toBe(1);
    expect(output).toEqual({ out: [], err: [message] });
  });
});
