import { spawnSync } from 'node:child_process';
import path from 'node:path';

const scripts = path.resolve(__dirname, '../../../scripts');

function run(name: string, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(scripts, `${name}.mjs`), ...options],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe.each(['abuse', 'bench', 'capacity', 'chaos', 'mutants', 'soak'])('npm run %s', (name) => {
  test('prints its use and its options with --help, and does nothing else', () => {
    const { status, stdout, stderr } = run(name, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^npm run ${name}: .*\\.\n  npm run ${name}`));
    expect(stdout).not.toContain('//');
  });

  test('names an unknown option without a stack', () => {
    const { status, stderr } = run(name, '--no-such-option');
    expect(status).toBe(1);
    expect(stderr).toContain("'--no-such-option'");
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

test.each([
  [[], '--messages-per-day is missing, for example --messages-per-day 1000000'],
  [['0'], '--messages-per-day must be a whole number from 1 to 100,000,000,000 (got "0")'],
  [['1', '--peak', 'x'], '--peak must be a whole number from 1 to 1,000 (got "x")'],
  [['1', '--retention-days', '1'], '--retention-days must be a whole number from 2 to 3,650'],
])('npm run capacity names the option that is missing or wrong (%j)', (options, problem) => {
  const [messages, ...others] = options;
  const named = messages === undefined ? [] : ['--messages-per-day', messages];
  const { status, stdout, stderr } = run('capacity', ...named, ...others);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(problem);
});
