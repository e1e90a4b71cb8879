import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { channelVersion, type System, startSystem } from '@belfry/testing';

const run = promisify(execFile);
const root = path.resolve(__dirname, '../../..');
const client = path.join(root, 'packages/client');
/** Compiling, bundling and starting processes is slow on a busy machine. */
const slowMs = 120_000;

/** A copy of `strict-project` with the packed client installed, without a network. */
let project: string;
let installed: string;
let starting: Promise<System>;
let system: System;

beforeAll(async () => {
  starting = startSystem({ workers: [] });
  [system] = await Promise.all([starting, install()]);
}, slowMs);

afterAll(async () => {
  // Also if the installation failed meanwhile.
  await (await starting).stop();
  rmSync(project, { recursive: true, force: true });
});

async function install(): Promise<void> {
  project = mkdtempSync(path.join(tmpdir(), 'belfry-client-'));
  cpSync(path.join(client, 'strict-project'), project, { recursive: true });
  await run('npm', ['pack', '--pack-destination', project], { cwd: client });
  const [tarball = ''] = readdirSync(project).filter((file) => file.endsWith('.tgz'));
  renameSync(path.join(project, tarball), path.join(project, 'client.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: project });
  installed = path.join(project, 'node_modules/@belfry/client');
}

function runTool(file: string, args: readonly string[]) {
  return run(process.execPath, [path.join(root, file), ...args], { cwd: project });
}

/** Prints the compiler's errors, if any. */
async function compile(...args: string[]): Promise<string> {
  const compiled = runTool('node_modules/typescript/bin/tsc', args);
  const { stdout } = await compiled.catch((error: { stdout: string }) => error);
  return stdout;
}

function listInstalled(): string[] {
  return readdirSync(installed, { recursive: true, encoding: 'utf8' }).sort();
}

function readInstalled(file: string): string {
  return readFileSync(path.join(installed, file), 'utf8');
}

describe('the packed client', () => {
  test('contains its license, types and one script per module format', () => {
    const files = listInstalled().filter((file) => !/^dist$|generated$|\.d\.ts$/.test(file));
    expect(files).toEqual([
      'LICENSE',
      'README.md',
      'dist/index.cjs',
      'dist/index.cjs.map',
      'dist/index.d.mts',
      'dist/index.mjs',
      'dist/index.mjs.map',
      'package.json',
    ]);
    expect(readInstalled('LICENSE')).toBe(readFileSync(path.join(root, 'LICENSE'), 'utf8'));
  });

  test('contains a source map with sources for each script that names one', () => {
    const mapNames = listInstalled()
      .filter((file) => /\.(?:[cm]?js|[cm]?ts)$/.test(file))
      .flatMap((file) => [...readInstalled(file).matchAll(/^\/\/# sourceMappingURL=(.*)$/gm)])
      .map(([, name = '']) => name);
    expect(mapNames.sort()).toEqual(['index.cjs.map', 'index.mjs.map']);
    for (const name of mapNames) {
      const { sources, sourcesContent } = JSON.parse(readInstalled(`dist/${name}`));
      expect(sources).toContain('../src/client.ts');
      expect(sourcesContent).toHaveLength(sources.length);
      expect(sourcesContent).toEqual(sources.map(() => expect.stringContaining('\n')));
    }
  });

  test('needs no other package and no module of Node', () => {
    const manifest = JSON.parse(readInstalled('package.json'));
    expect(Object.keys(manifest).filter((key) => /^(?!dev)\w*dependencies$/i.test(key))).toEqual(
      [],
    );
    for (const file of ['dist/index.mjs', 'dist/index.cjs']) {
      const script = readInstalled(file).replaceAll(/^\s*\/?\*.*|\/\/.*$/gm, '');
      expect(script).not.toMatch(/\brequire\(|\bimport\b|\bnode:|\b(?:Buffer|process)\b/);
    }
  });

  const use = `
    const belfry = createBelfryClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', appId: 'a', retries: 0 });
    belfry.users.get('u').catch((error) => console.log(error instanceof BelfryError, error.code));
  `;

  test.each([
    ['module', "import { BelfryError, createBelfryClient } from '@belfry/client';"],
    ['commonjs', "const { BelfryError, createBelfryClient } = require('@belfry/client');"],
  ])('can be loaded with %s', async (type, importLine) => {
    const args = [`--input-type=${type}`, '-e', `${importLine}${use}`];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: project });
    expect([stdout, stderr]).toEqual(['true network_error\n', '']);
  });
});

describe('a strict project outside of the workspace', () => {
  let env: Record<string, string>;

  beforeAll(async () => {
    const tenant = await system.factories.createTenant();
    const version = { in_app: channelVersion({ title: 'Hi {{user_name}}', body: 'Hello' }) };
    await system.factories.createEvent(tenant, version, { name: 'order_shipped' });
    const { apiKey, appId } = tenant;
    env = { BELFRY_URL: system.apiUrl, BELFRY_API_KEY: apiKey, BELFRY_APP_ID: appId };
    expect(await compile()).toBe('');
  }, slowMs);

  test('compiles with the types of a browser and with those of Node', async () => {
    const args = ['-p', 'tsconfig.platform.json'];
    expect(await compile(...args, '--lib', 'ES2022,DOM')).toBe('');
    const types = path.join(root, 'node_modules/@types');
    expect(await compile(...args, '--types', 'node', '--typeRoots', types)).toBe('');
  });

  test.each(['esbuild', 'rollup', 'vite', 'webpack'])(
    'sends an event bundled by %s without unused functions',
    async (bundler) => {
      const folder = path.join(project, bundler);
      const names = ['one-call', 'whole-client'];
      const entries = names.map((name) => path.join(project, 'dist', `${name}.js`));
      await runTool('scripts/bundle.mjs', [bundler, folder, ...entries]);

      for (const extension of ['mjs', 'cjs']) {
        const files = names.map((name) => path.join(folder, `${name}.${extension}`));
        const runs = files.map((file) => run(process.execPath, [file], { env }));
        for (const { stdout } of await Promise.all(runs)) {
          const { request_id: id } = JSON.parse(stdout);
          expect(await system.database.prisma.request.count({ where: { id } })).toBe(1);
        }
        const [single = '', full = ''] = files.map((file) => readFileSync(file, 'utf8'));
        expect(single.length).toBeLessThan(0.85 * full.length);
        for (const route of ['/push/status', '/devices', '/sandbox/wait', '/bulk_send', '/inbox']) {
          expect([route, single.includes(route), full.includes(route)]).toEqual([
            route,
            false,
            true,
          ]);
        }
      }
    },
    slowMs,
  );
});

test('the generated types match the schemas of the gateway', async () => {
  const script = `
    import { clientTypes } from './scripts/client-types.mjs';
    import { readCode } from './scripts/read-code.mjs';
    process.stdout.write(clientTypes(await readCode()));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
  });
  const file = path.join(root, 'packages/client/src/generated/wire.ts');
  // `npm run docs` updates the file.
  expect(readFileSync(file, 'utf8')).toBe(stdout);
});
