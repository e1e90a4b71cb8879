import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(__dirname, '../../..');
const use = `
const belfry = createBelfryClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', appId: 'a', retries: 0 });
belfry.users.get('u').catch((error) => console.log(error instanceof BelfryError, error.code));
`;

test.each([
  [
    'import',
    ['--input-type=module'],
    "import { BelfryError, createBelfryClient } from '@belfry/client';",
  ],
  [
    'require',
    ['--input-type=commonjs'],
    "const { BelfryError, createBelfryClient } = require('@belfry/client');",
  ],
])('the built package works by %s', async (_way, args, line) => {
  const { stdout } = await run(process.execPath, [...args, '-e', `${line}${use}`], { cwd: root });
  expect(stdout).toBe('true network_error\n');
});

test('the package needs no other', () => {
  const manifest = JSON.parse(
    readFileSync(path.join(root, 'packages/client/package.json'), 'utf8'),
  );
  expect(Object.keys(manifest).filter((key) => /^(?!dev)\w*dependencies$/i.test(key))).toEqual([]);
  const built = path.join(root, 'packages/client/dist');
  const required = readdirSync(built)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [
      ...readFileSync(path.join(built, file), 'utf8').matchAll(/require\("(.+?)"\)/g),
    ])
    .map(([, name = '']) => name);
  expect(required.length).toBeGreaterThan(5);
  expect(required.filter((name) => !/^(\.\/|node:)/.test(name))).toEqual([]);
});

test('the types are those that the schemas of the gateway make', async () => {
  const script = `
    import { clientTypes } from './scripts/client-types.mjs';
    import { readCode } from './scripts/read-code.mjs';
    process.stdout.write(clientTypes(await readCode()));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
  });
  const file = path.join(root, 'packages/client/src/generated/wire.ts');
  // `npm run docs` writes it anew.
  expect(readFileSync(file, 'utf8')).toBe(stdout);
});
