// npm test: everything that the tests need, the tests, and nothing left running.
//   npm test                  unit, integration and end-to-end tests
//   npm test -- packages/x    further arguments go to Jest
//   npm test -- --node 24     on another version of Node, or on the Node at a path
//   npm run test:unit         only what needs no store
//   npm run test:all          the same as npm test, on the oldest supported Node and on the image's
//   npm run test:full         also fault tests and full-size property runs
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { endOnSignals, root, runTool } from './commands.mjs';
import { findFetched, findNode, imageNode, testedNodes } from './node-versions.mjs';
import { explain, showProgress } from './steps.mjs';
import { ensureBuilt, ensureGenerated, ensureInstalled } from './workspace.mjs';

const minuteMs = 60_000;
const namePrefix = 'belfry-test-';
const defaultWorkers = Math.max(2, availableParallelism() - 1);
/** On a busy machine a worker that has closed everything may need longer than Jest's half second. */
const exitPatience = '--workerGracefulExitTimeout=5000';
const reports = path.join(root, '.belfry', 'reports');

/** Each kind of run: the calls of Jest that it makes, one after the other, and how long they may take together. */
const kinds = {
  '--unit': { calls: [{ projects: ['unit'] }], timeoutMs: 5 * minuteMs },
  default: { calls: [{ projects: ['unit', 'int', 'e2e'] }], timeoutMs: 40 * minuteMs },
  '--all': {
    calls: testedNodes.map((version) => ({ projects: ['unit', 'int', 'e2e'], version })),
    timeoutMs: 80 * minuteMs,
  },
  '--full': {
    calls: [
      { projects: ['unit', 'int', 'e2e'], env: { TEST_FULL: '1' } },
      { projects: ['fault'], workers: 1, env: { TEST_FULL: '1' } },
    ],
    timeoutMs: 120 * minuteMs,
  },
};

const closers = [];
let cleaning;
endOnSignals(cleanUp);
main().catch(async (error) => {
  await cleanUp();
  explain(error);
  console.log('Tests: 0 passed, 1 failed');
  process.exit(1);
});

async function main() {
  const { name, args, version } = readArgs(process.argv.slice(2));
  const env = name === '--unit' ? await prepareUnit() : await prepareStores();
  const results = await runJest(kinds[name], { args, version, env });
  await cleanUp();

  const hasTests = args.length > 0 || results.passed + results.failed > 0;
  if (!hasTests) console.error('No test was found.');
  process.exitCode = results.isClean && results.failed === 0 && hasTests ? 0 : 1;
  console.log(`Tests: ${results.passed} passed, ${results.failed} failed`);
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

  const folder = mkdtempSync(path.join(tmpdir(), `${namePrefix}${process.pid}-`));
  // Before anything else is in it; the servers may run as another user than root.
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
  // Also when a signal comes while they start.
  closers.push(() => starting.then((stores) => stores.stop()).catch(() => {}));
  const stores = await starting;
  return { ...stores.env, TEST_FOLDER: folder, TEST_IMAGE_NODE: findFetched(imageNode) };
}

/** What a run left that was killed: its servers, in a folder that carries its process number. */
async function removeDeadRuns(stopLeftovers) {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.startsWith(namePrefix) && name.slice(namePrefix.length).split('-')[0]);
    const folder = path.join(tmpdir(), name);
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
    return error.code === 'EPERM';
  }
}

async function runJest({ calls, timeoutMs }, { args, version, env }) {
  mkdirSync(reports, { recursive: true, mode: 0o700 });
  const deadline = performance.now() + timeoutMs;
  const total = { passed: 0, failed: 0, isClean: true };
  for (const call of calls) {
    const { projects, workers = defaultWorkers, env: ownEnv } = call;
    const node = await findNode(call.version ?? version);
    if (call.version) console.error(`On Node ${call.version}:`);
    const report = path.join(reports, `${projects.join('-')}.json`);
    rmSync(report, { force: true });
    const options = ['--passWithNoTests', `--maxWorkers=${workers}`, exitPatience];
    const { code, isLate } = await runTool(
      'jest/bin/jest.js',
      [...args, ...options, '--json', `--outputFile=${report}`, '--selectProjects', ...projects],
      {
        node,
        isShown: true,
        timeoutMs: Math.max(deadline - performance.now(), 1_000),
        // A test that finds these would write to a database that somebody uses.
        env: { ...env, ...ownEnv, DATABASE_URL: undefined, REDIS_URL: undefined },
      },
    );
    if (isLate) console.error(`Jest did not end within ${timeoutMs / minuteMs} minutes.`);
    add(total, readReport(report), code);
  }
  return total;
}

/** A test file that could not be run, and a run without a report, count as one failed test each. */
function readReport(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  chmodSync(file, 0o600);
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
}

function add(total, { passed, failed }, code) {
  total.passed += passed;
  total.failed += failed;
  total.isClean &&= code === 0;
}

/** Once: a signal may come while it runs already. */
function cleanUp() {
  cleaning ??= (async () => {
    for (const close of closers.reverse()) await close();
  })();
  return cleaning;
}
