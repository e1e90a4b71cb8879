import { runCli } from './cli';
import { createCommands } from './commands';

const commands = createCommands('/nowhere', {});

async function help(...args: string[]) {
  const lines: string[] = [];
  const code = await runCli({
    commands,
    args,
    readSettings: () => {
      throw new Error('help needs no settings');
    },
    out: (line) => lines.push(line),
    err: (line) => lines.push(`error: ${line}`),
  });
  return { code, text: lines.join('\n') };
}

describe.each(Object.entries(commands))('belfry %s --help', (name, command) => {
  test('lists options, exit codes and one example, and needs no settings', async () => {
    const { code, text } = await help(name, '--help');
    expect(code).toBe(0);
    expect(text).toMatch(/^Options:\n(?: {2}\S.*\n)* {2}--help +Print this help\.$/m);
    expect(text).toMatch(
      /^Exit codes:\n {2}0 .*\n {2}1 .*\n(?: {2}\d+ .*\n)*? {2}64 .*\n(?: {2}\d+ .*\n)*? {2}78 .*$/m,
    );
    expect(text).toMatch(new RegExp(`^Example:\n {2}belfry ${name}\\b.*$`, 'm'));
  });

  test('describes every argument and option of its usage', () => {
    const { usage, arguments: described } = command.help;
    const named = usage.flatMap((form) => form.match(/--[a-z]+|[A-Z][A-Z_]+/g) ?? []);
    const listed = Object.keys(described).flatMap((key) => key.split(' '));
    expect(new Set(listed)).toEqual(new Set(named));
  });
});

test('--help works after a subcommand', async () => {
  expect(await help('account', 'create', '--help')).toEqual(await help('account', '--help'));
});
