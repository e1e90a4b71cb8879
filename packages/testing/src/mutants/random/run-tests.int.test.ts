import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeFolder, isAlive } from '@belfry/embedded';
import { eventually } from '../../eventually';
import { repositoryRoot } from '../../test-stores';
import type { MutantCopy } from '../mutant-copy';
import { runScript } from '../run-script';
import { runTests } from './run-tests';

const limitMs = 120_000;
jest.setTimeout(2 * limitMs);

const file = 'src/hangs.test.js';
const source = `
const { ownRedis } = require('@belfry/testing');
test('hangs', async () => {
  const { pid } = await ownRedis();
  require('node:fs').writeFileSync('pid', String(pid));
  await new Promise(() => {});
}, 300_000);`;

/** A workspace with one test, which starts a Redis and hangs. */
async function createRoot(): Promise<string> {
  const root = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-hang-'));
  // The servers may run as another user than root.
  await closeFolder(root);
  mkdirSync(path.join(root, 'src'));
  writeFileSync(path.join(root, 'package.json'), '{}');
  writeFileSync(path.join(root, file), source);
  symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(root, 'node_modules'));
  return root;
}

test('a run of tests that is ended leaves no server running', async () => {
  const root = await createRoot();
  const ending = new AbortController();
  const run: MutantCopy['run'] = (args, options) =>
    runScript(args, { ...options, cwd: root, signal: ending.signal });
  const limits = { timeoutMs: limitMs, silenceMs: limitMs };
  const copy = { root, run, build: () => run([], limits), remove: () => {} };
  const serversFolder = path.join(root, 'servers');
  const running = runTests(copy, [file], { ...limits, env: {}, serversFolder });
  const pidFile = path.join(root, 'pid');
  await eventually(() => expect(existsSync(pidFile)).toBe(true), { timeoutMs: limitMs });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  // Ctrl-C and the time limits end a run in the same way.
  ending.abort();
  await running;
  expect(isAlive(pid)).toBe(false);
});
