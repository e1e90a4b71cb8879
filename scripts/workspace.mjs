// Prepares the workspace for all commands: installs dependencies, generates the Prisma client, compiles sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runCommand, runTool } from './commands.mjs';
import { StepError, step } from './steps.mjs';

/** @type {[major: number, minor: number]} */
export const oldestNode = [20, 19];
const installTimeoutMs = 600_000;
const generateTimeoutMs = 60_000;
const compileTimeoutMs = 180_000;
const webTimeoutMs = 120_000;
const shownLines = 30;

export function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new StepError(
    `Belfry needs Node ${oldestNode.join('.')} or newer (this is ${process.version}).`,
  );
}

/** Installs the packages of the lock file, unless all are installed. */
export async function ensureInstalled() {
  refuseOldNode();
  if (isInstalled()) return;
  const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const clean = await step('installing dependencies (npm ci)', () => npm(['ci', ...options]));
  if (clean.code === 0 && isInstalled()) return;
  console.error(`npm ci failed:\n${lastLines(clean.output)}\nTrying npm install instead.`);
  const plain = await step('installing dependencies (npm install)', () =>
    npm(['install', ...options]),
  );
  if (plain.code === 0) return;
  throw new StepError(
    `Could not install the dependencies:\n${lastLines(plain.output)}\n` +
      'Check the network and the npm registry (npm config get registry), then try again.',
  );
}

export function npm(args) {
  const options = { timeoutMs: installTimeoutMs };
  // `npm start` and `npm test` set the path of npm. On Windows npm cannot be spawned by name.
  const cli = process.env['npm_execpath'];
  return cli?.endsWith('.js')
    ? runCommand(process.execPath, [cli, ...args], options)
    : runCommand('npm', args, options);
}

/** Compares npm's list of installed packages with the lock file. */
function isInstalled() {
  const installed = readJson('node_modules/.package-lock.json')?.packages;
  if (!installed) return false;
  const locked = Object.entries(readJson('package-lock.json')?.packages ?? {});
  return locked.every(([folder, { version, link, optional }]) => {
    if (!folder.includes('node_modules/')) return true;
    const isThere = link || installed[folder]?.version === version;
    return (
      (isThere && existsSync(path.join(root, folder))) || (optional === true && !installed[folder])
    );
  });
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Generates the Prisma client, unless the schema and the version of Prisma are unchanged. */
export async function ensureGenerated() {
  const stampFile = path.join(root, 'packages/database/src/generated/.made-from');
  const stamp = createStamp([
    'prisma/schema.prisma',
    'prisma/prisma.config.ts',
    'node_modules/prisma/package.json',
  ]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const result = await step('generating the Prisma client', () =>
    runTool('prisma/build/index.js', ['generate', '--config', 'prisma/prisma.config.ts'], {
      timeoutMs: generateTimeoutMs,
      env: {
        // The CLI downloads a native engine even if it uses none. Any existing file prevents the download.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        CHECKPOINT_DISABLE: '1',
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
      },
    }),
  );
  if (result.code !== 0)
    throw new StepError(`prisma generate failed:\n${lastLines(result.output)}`);
  writeFileSync(stampFile, stamp);
}

function createStamp(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/**
 * Compiles changed sources; the compiler finds them. It takes seconds to find none, so it does not start if all files have
 * the same sizes and times as after the last compilation.
 */
export async function compile() {
  const stampFile = path.join(root, 'apps/local/dist/.compiled-from');
  const stamp = stampCompiled();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const result = await step('compiling', () =>
    runTool('typescript/bin/tsc', ['-b'], { timeoutMs: compileTimeoutMs }),
  );
  if (result.code !== 0) throw new StepError(`tsc -b failed:\n${result.output}`);
  writeFileSync(stampFile, stampCompiled());
}

/** Sources and settings of the compiler, and the files in which it records its results. */
function stampCompiled() {
  const workspaces = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`),
  );
  const files = workspaces.flatMap((workspace) => [
    ...listFiles(`${workspace}/src`),
    `${workspace}/tsconfig.json`,
    `${workspace}/dist/.tsbuildinfo`,
  ]);
  const settings = ['tsconfig.json', 'tsconfig.base.json', 'package-lock.json'];
  const hash = createHash('sha256');
  for (const file of [...settings, ...files]) {
    const { size, mtimeMs } = statSync(path.join(root, file), { throwIfNoEntry: false }) ?? {};
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

const dashboard = 'apps/dashboard';

const client = 'packages/client';

/** Bundles the client as an ES module and for `require`. */
export function ensureClientBuilt() {
  return ensureBundled(client, 'bundling the client', async ({ build, toPath }) => {
    const entryPoints = [toPath('src/index.ts')];
    // The source maps contain the sources, which the package does not include.
    const options = { entryPoints, bundle: true, target: 'es2022', sourcemap: true };
    await build({ ...options, format: 'esm', outfile: toPath('dist/index.mjs') });
    await build({ ...options, format: 'cjs', outfile: toPath('dist/index.cjs') });
    return ['index'];
  });
}

const inbox = 'packages/inbox';
const inboxModules = ['index', 'elements', 'react'];

/** Bundles the inbox for browsers: modules that share their code, and one file for pages without a bundler. */
export function ensureInboxBuilt() {
  return ensureBundled(inbox, 'bundling the inbox', async ({ build, toPath }) => {
    const options = { bundle: true, format: 'esm', target: 'es2022', charset: 'utf8' };
    // The name of a shared module contains a hash of its code.
    for (const name of readdirSync(toPath('dist'))) {
      if (name.startsWith('chunk-')) rmSync(toPath(`dist/${name}`));
    }
    await build({
      ...options,
      entryPoints: inboxModules.map((name) => toPath(`src/${name}.ts`)),
      outdir: toPath('dist'),
      outExtension: { '.js': '.mjs' },
      splitting: true,
      sourcemap: true,
      external: ['react'],
    });
    const outfile = toPath('dist/inbox.min.js');
    await build({ ...options, entryPoints: [toPath('src/browser.ts')], outfile, minify: true });
    return inboxModules;
  });
}

/** Bundles a package, unless its sources and tools are unchanged. The compiler has written the types of its modules. */
async function ensureBundled(folder, label, bundle) {
  const toPath = (file) => path.join(root, folder, file);
  const stampFile = toPath('dist/.made-from');
  const stamp = createStamp([
    ...listFiles(`${folder}/src`),
    'scripts/workspace.mjs',
    'node_modules/esbuild/package.json',
  ]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  await step(label, async () => {
    const { build } = await import('esbuild');
    for (const name of await bundle({ build, toPath })) {
      writeFileSync(toPath(`dist/${name}.d.mts`), `export * from './${name}.js';\n`);
    }
  });
  writeFileSync(stampFile, stamp);
}

/** Builds the dashboard's page, unless its sources and tools are unchanged. */
export async function ensureWebBuilt() {
  const stampFile = path.join(root, dashboard, 'dist/web/.made-from');
  const stamp = createStamp([
    ...listFiles(`${dashboard}/src/web`),
    ...listFiles(`${dashboard}/src/api`),
    `${dashboard}/vite.config.mts`,
    `${dashboard}/package.json`,
    'packages/shared/src/text.ts',
    'node_modules/vite/package.json',
  ]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const result = await step('building the dashboard’s page', () =>
    runTool('vite/bin/vite.js', ['build', '--config', `${dashboard}/vite.config.mts`], {
      timeoutMs: webTimeoutMs,
    }),
  );
  if (result.code !== 0) throw new StepError(`vite build failed:\n${lastLines(result.output)}`);
  writeFileSync(stampFile, stamp);
}

function listFiles(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

export async function ensureBuilt() {
  await ensureInstalled();
  await ensureGenerated();
  await compile();
  await ensureClientBuilt();
  await ensureInboxBuilt();
  await ensureWebBuilt();
}

export function lastLines(text) {
  return text.trimEnd().split('\n').slice(-shownLines).join('\n');
}
