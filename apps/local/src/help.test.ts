import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { readChoices } from './choices';

const script = path.resolve(__dirname, '../../../scripts/start.mjs');

describe.each(['--help', '-h'])('npm start -- %s', (option) => {
  const text = execFileSync(process.execPath, [script, option], { encoding: 'utf8' });

  test('lists options that the start accepts, and variables that it reads', () => {
    const options = text.match(/^ {2}--\w+/gm)?.map((each) => each.trim()) ?? [];
    expect(options).toEqual(['--processes']);
    expect(readChoices({}, options).hasProcessPerRole).toBe(true);
    const variables = new Set(text.match(/\b[A-Z]+_[A-Z]+\b/g));
    const read = new Set<string>();
    const env = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
    readChoices(env, []);
    expect([...variables].filter((name) => !read.has(name))).toEqual(['NO_COLOR']);
    expect([...read].filter((name) => !variables.has(name))).toEqual([]);
  });

  test('lists exit codes and an example', () => {
    expect(text).toMatch(/^Exit codes\n {2}0 /m);
    expect(text).toMatch(/^Example\n {2}\S.* npm start -- --processes$/m);
  });
});
