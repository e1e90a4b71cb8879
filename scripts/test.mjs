// npm test: starts the stores that the tests need, runs the tests, and stops everything.
//   npm test                  unit, integration and end-to-end tests
//   npm test -- packages/x    other arguments are passed to Jest
//   npm test -- --node 24     on another version of Node, or on the Node at a path
//   npm run test:unit         only tests without stores
//   npm run test:all          like npm test, on the oldest supported Node and on the image's Node; also restores and upgrades
//   npm run test:full         also fault tests and full-size property tests
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { endOnSignals, root, runTool } from './commands.mjs';
import { findInstalledNode, findNode, imageNode, testedNodes } from './node-versions.mjs';
import { printError, showProgress } from './steps.mjs';
import { ensureBuilt, ensureGenerated, ensureInstalled } from './workspace.mjs';

const minuteMs = 60_000;
const namePrefix = 'belfry-test-';
const defaultWorkers = Math.max(2, availableParallelism() - 1);
/** On a busy machine a finished worker may need longer to exit than Jest's 0.5 s. */
const gracefulExit = '--workerGracefulExitTimeout=5000';
const reports = path.join(root, '.belfry', 'reports');
/**
 * A folder in memory, on Linux. The servers of the tests keep their durable settings, and each commit waits for the disk:
 * 1 to 20 ms on a disk, none in memory. Containers have 64 MB there by default.
 */
const memoryFolder = '/dev/shm';
const neededMemory = 4 * 2 ** 30;

/**
 * Each kind of run: its calls of Jest, and their common time limit. A call with `files`, a pattern of paths, is left out if
 * the command line has arguments.
 * @typedef {{ projects: string[], files?: string, version?: string, workers?: number, env?: Record<string, string> }} JestCall
 * @typedef {{ calls: JestCall[], timeoutMs: number }} Kind
 * @typedef {{ project: string, node: string, passed: number, failed: number, seconds: number }} Group
 * @satisfies {Record<string, Kind>}
 */
const kinds = {
  '--unit': { calls: [{ projects: ['unit', 'page'] }], timeoutMs: 5 * minuteMs },
  default: { calls: [{ projects: ['unit', 'page', 'int', 'e2e'] }], timeoutMs: 60 * minuteMs },
  '--all': {
    calls: [
      ...testedNodes.map((version) => ({ projects: ['unit', 'page', 'int', 'e2e'], version })),
      { projects: ['fault'], files: '(restore|upgrade)\\.fault', version: imageNode, workers: 1 },
    ],
    timeoutMs: 75 * minuteMs,
  },
  '--full': {
    calls: [
      { projects: ['unit', 'page', 'int', 'e2e'], env: { TEST_FULL: '1' } },
      { projects: ['fault'], workers: 1, env: { TEST_FULL: '1' } },
    ],
    timeoutMs: 120 * minuteMs,
  },
};

/** @type {(() => Promise<unknown>)[]} */
const closers = [];
/** @type {Promise<void> | undefined} */
let cleaning;
endOnSignals(cleanUp);
main().catch(async (error) => {
  await cleanUp();
  printError(error);
  console.log('Tests: 0 passed, 1 failed');
  process.exit(1);
});

async function main() {
  const { name, args, version } = readArgs(process.argv.slice(2));
  const env = name === '--unit' ? await prepareUnit() : await prepareStores();
  const { groups, isClean } = await runJest(kinds[name], { args, version, env });
  await cleanUp();

  const passed = sum(groups, 'passed');
  const failed = sum(groups, 'failed');
  const hasTests = args.length > 0 || passed + failed > 0;
  if (!hasTests) console.error('No tests found.');
  process.exitCode = isClean && failed === 0 && hasTests ? 0 : 1;
  for (const group of groups) {
    const seconds = Math.round(group.seconds);
    console.log(
      `${group.project}, Node ${group.node}: ${group.passed} passed, ${group.failed} failed, ${seconds} s of test files`,
    );
  }
  console.log(`Tests: ${passed} passed, ${failed} failed`);
}

/** @param {Group[]} groups @param {'passed' | 'failed'} field */
function sum(groups, field) {
  return groups.reduce((total, group) => total + group[field], 0);
}

function readArgs(args) {
  const at = args.indexOf('--node');
  const version = at === -1 ? process.execPath : (args[at + 1] ?? '');
  const others = at === -1 ? args : args.toSpliced(at, 2);
  const name = others.find((arg) => arg in kinds) ?? 'default';
  return { name, version, args: others.filter((arg) => arg !== name) };
}

async function prepareUnit() {
  await ensureInstalled();
  await ensureGenerated();
  return {};
}

async function prepareStores() {
  await ensureBuilt();
  const { closeFolder, stopLeftovers } = await import('../packages/embedded/dist/index.js');
  const { startTestStores } = await import('../packages/testing/dist/test-stores.js');
  await closeFolder(path.join(root, '.belfry'));
  await removeDeadRuns(stopLeftovers);

  const folder = mkdtempSync(path.join(chooseParent(), `${namePrefix}${process.pid}-`));
  // Before the folder has any content. The servers may run as another user than root.
  await closeFolder(folder);
  closers.push(async () => {
    await stopLeftovers(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  const starting = startTestStores({
    folder,
    databaseUrl: process.env['DATABASE_URL'],
    redisUrl: process.env['REDIS_URL'],
    onProgress: showProgress,
  });
  // Added before they have started, as a signal may come meanwhile.
  closers.push(() => starting.then((stores) => stores.stop()).catch(() => {}));
  const stores = await starting;
  return { ...stores.env, TEST_FOLDER: folder, TEST_IMAGE_NODE: findInstalledNode(imageNode) };
}

function chooseParent() {
  if (!existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  const free = Math.min(bavail * bsize, process.availableMemory());
  return free < neededMemory ? tmpdir() : memoryFolder;
}

/** Removes the servers of killed runs. The name of their folder contains the process ID of the run. */
async function removeDeadRuns(stopLeftovers) {
  const parents = [tmpdir(), memoryFolder].filter((parent) => existsSync(parent));
  const folders = parents.flatMap((parent) =>
    readdirSync(parent).map((name) => path.join(parent, name)),
  );
  for (const folder of folders) {
    const name = path.basename(folder);
    const pid = Number(name.startsWith(namePrefix) && name.slice(namePrefix.length).split('-')[0]);
    if (!pid || isAlive(pid) || statSync(folder).uid !== process.getuid?.()) continue;
    await stopLeftovers(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function runJest({ calls, timeoutMs }, { args, version, env }) {
  mkdirSync(reports, { recursive: true, mode: 0o700 });
  const deadline = performance.now() + timeoutMs;
  /** @type {Group[]} */
  const groups = [];
  let isClean = true;
  for (const call of calls.filter(({ files }) => !files || args.length === 0)) {
    const { projects, env: ownEnv } = call;
    const node = await findNode(call.version ?? version);
    if (call.version) console.error(`On Node ${call.version}:`);
    const report = path.join(reports, `${projects.join('-')}.json`);
    rmSync(report, { force: true });
    const options = ['--passWithNoTests', gracefulExit, '--json', `--outputFile=${report}`];
    const { code, isLate } = await runTool(
      'jest/bin/jest.js',
      [...listJestArgs(call, args), ...options, '--selectProjects', ...projects],
      {
        node,
        isShown: true,
        timeoutMs: Math.max(deadline - performance.now(), 1_000),
        // A test that used these would write to a real database.
        env: { ...env, ...ownEnv, DATABASE_URL: undefined, REDIS_URL: undefined },
      },
    );
    if (isLate) console.error(`Jest did not finish within ${timeoutMs / minuteMs} minutes.`);
    isClean &&= code === 0;
    const nodeVersion = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    groups.push(...readReport(report, projects).map((group) => ({ ...group, node: nodeVersion })));
  }
  return { groups, isClean };
}

/**
 * The arguments of the command line, and what they leave open.
 * @param {JestCall} call
 * @param {string[]} args
 */
function listJestArgs({ files, workers = defaultWorkers }, args) {
  const hasOwnWorkers = args.some((arg) => /^(-w|-i|--maxWorkers|--runInBand)/.test(arg));
  const workerOptions = hasOwnWorkers ? [] : [`--maxWorkers=${workers}`];
  return [...(files ? [files] : args), ...workerOptions];
}

/**
 * The results of each project. A test file that could not run counts as one failed test, and so does a run without a
 * report.
 * @param {string} file
 * @param {string[]} projects
 */
function readReport(file, projects) {
  if (!existsSync(file)) {
    return [{ project: projects.join(' and '), passed: 0, failed: 1, seconds: 0 }];
  }
  chmodSync(file, 0o600);
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const results = testResults.map(readTestFile);
  return projects.flatMap((project) => {
    const own = results.filter((result) => result.project === project);
    if (own.length === 0) return [];
    const seconds = own.reduce((total, result) => total + result.seconds, 0);
    return [{ project, passed: sum(own, 'passed'), failed: sum(own, 'failed'), seconds }];
  });
}

function readTestFile({ name, status, startTime, endTime, assertionResults }) {
  const count = (expected) => assertionResults.filter((each) => each.status === expected).length;
  return {
    project: name.endsWith('.tsx')
      ? 'page'
      : (/\.(int|fault|e2e)\.test\.ts$/.exec(name)?.[1] ?? 'unit'),
    passed: count('passed'),
    failed: Math.max(count('failed'), status === 'failed' ? 1 : 0),
    seconds: (endTime - startTime) / 1_000,
  };
}

/** Runs once: a signal may come during a clean-up. */
function cleanUp() {
  cleaning ??= (async () => {
    for (const close of closers.reverse()) await close();
  })();
  return cleaning;
}
