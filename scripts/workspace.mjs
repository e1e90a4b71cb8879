// What every command needs first: dependencies installed, the Prisma client generated, sources compiled.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runCommand, runTool } from './commands.mjs';
import { StepError, step } from './steps.mjs';

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
    `Belfry needs Node ${oldestNode.join('.')} or newer; this is ${process.version}.`,
  );
}

/** Installs what the lock file names, unless all of it is there. */
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
    `The dependencies could not be installed:\n${lastLines(plain.output)}\n` +
      'Check the network and the npm registry that is configured (npm config get registry), then try again.',
  );
}

export function npm(args) {
  const options = { timeoutMs: installTimeoutMs };
  // `npm start` and `npm test` tell where npm itself lies; on Windows npm is no program that can be spawned by name.
  const cli = process.env['npm_execpath'];
  return cli?.endsWith('.js')
    ? runCommand(process.execPath, [cli, ...args], options)
    : runCommand('npm', args, options);
}

/** npm keeps a list of what it installed: every package of the lock file must stand there, in its version. */
function isInstalled() {
  const installed = readJson('node_modules/.package-lock.json')?.packages;
  if (!installed) return false;
  const wanted = Object.entries(readJson('package-lock.json')?.packages ?? {});
  return wanted.every(([place, { version, link, optional }]) => {
    if (!place.includes('node_modules/')) return true;
    const isThere = link || installed[place]?.version === version;
    return (
      (isThere && existsSync(path.join(root, place))) || (optional === true && !installed[place])
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

/** Generates the Prisma client, unless it was made from this very schema by this very version. */
export async function ensureGenerated() {
  const stampFile = path.join(root, 'packages/database/src/generated/.made-from');
  const stamp = stampOf([
    'prisma/schema.prisma',
    'prisma/prisma.config.ts',
    'node_modules/prisma/package.json',
  ]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const made = await step('generating the Prisma client', () =>
    runTool('prisma/build/index.js', ['generate', '--config', 'prisma/prisma.config.ts'], {
      timeoutMs: generateTimeoutMs,
      env: {
        // The command line wants a native engine, fetched from elsewhere, even where it uses none: any file will do.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        CHECKPOINT_DISABLE: '1',
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
      },
    }),
  );
  if (made.code !== 0) throw new StepError(`prisma generate failed:\n${lastLines(made.output)}`);
  writeFileSync(stampFile, stamp);
}

function stampOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** Compiles what is newer than its output; the compiler itself knows. */
export async function compile() {
  const compiled = await step('compiling', () =>
    runTool('typescript/bin/tsc', ['-b'], { timeoutMs: compileTimeoutMs }),
  );
  if (compiled.code !== 0) throw new StepError(`tsc -b failed:\n${compiled.output}`);
}

const dashboard = 'apps/dashboard';

const client = 'packages/client';

/** Bundles the client as an ES module and for `require`; the compiler has written its types. */
export async function ensureClientBuilt() {
  const dist = path.join(root, client, 'dist');
  const stampFile = path.join(dist, '.made-from');
  const stamp = stampOf([
    ...filesUnder(`${client}/src`),
    'scripts/workspace.mjs',
    'node_modules/esbuild/package.json',
  ]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  await step('bundling the client', async () => {
    const { build } = await import('esbuild');
    const entryPoints = [path.join(root, client, 'src/index.ts')];
    // The maps hold the sources, which the package does not have.
    const options = { entryPoints, bundle: true, target: 'es2022', sourcemap: true };
    const toOutfile = (name) => path.join(dist, name);
    await build({ ...options, format: 'esm', outfile: toOutfile('index.mjs') });
    await build({ ...options, format: 'cjs', outfile: toOutfile('index.cjs') });
  });
  writeFileSync(path.join(dist, 'index.d.mts'), "export * from './index.js';\n");
  writeFileSync(stampFile, stamp);
}

/** Builds the dashboard's page, unless it was made from these very sources by these very tools. */
export async function ensureWebBuilt() {
  const stampFile = path.join(root, dashboard, 'dist/web/.made-from');
  const stamp = stampOf([
    ...filesUnder(`${dashboard}/src/web`),
    ...filesUnder(`${dashboard}/src/api`),
    `${dashboard}/vite.config.mts`,
    `${dashboard}/package.json`,
    'packages/shared/src/is-uuid.ts',
    'node_modules/vite/package.json',
  ]);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const made = await step('building the dashboard’s page', () =>
    runTool('vite/bin/vite.js', ['build', '--config', `${dashboard}/vite.config.mts`], {
      timeoutMs: webTimeoutMs,
    }),
  );
  if (made.code !== 0) throw new StepError(`vite build failed:\n${lastLines(made.output)}`);
  writeFileSync(stampFile, stamp);
}

function filesUnder(folder) {
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
  await ensureWebBuilt();
}

export function lastLines(text) {
  return text.trimEnd().split('\n').slice(-shownLines).join('\n');
}
