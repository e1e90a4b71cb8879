import { spawnSync } from 'node:child_process';
import path from 'node:path';

const scripts = path.resolve(__dirname, '../../../scripts');

function run(name: string, option: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(scripts, `${name}.mjs`), option],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe.each(['abuse', 'bench', 'chaos', 'mutants', 'soak'])('npm run %s', (name) => {
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
