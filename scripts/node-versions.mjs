// The versions of Node that Belfry is tested on. A version that is not running comes from the npm registry into .belfry/node.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { root, runNode } from './commands.mjs';
import { StepError, step } from './steps.mjs';
import { lastLines, npm, oldestNode } from './workspace.mjs';

/** The image's version. The Dockerfile is the only place that names it. */
export const imageNode = /^FROM node:([\d.]+)-/m.exec(
  readFileSync(path.join(root, 'Dockerfile'), 'utf8'),
)?.[1];

/** The oldest release line that Belfry supports, and the one of the image. */
export const testedNodes = [oldestNode[0], imageNode].map(String);

/** Gives the executable of a version ("24", "24.22.3"), or of a path. */
export async function findNode(wanted) {
  if (wanted.includes(path.sep) && existsSync(wanted)) return realpathSync(wanted);
  if (!/^\d+(\.\d+){0,2}$/.test(wanted)) {
    throw new StepError(`--node takes a version such as 24 or the path of a Node, not "${wanted}"`);
  }
  const known = [process.versions.node, imageNode, oldestNode.join('.')];
  const version = known.find((each) => `${each}.`.startsWith(`${wanted}.`)) ?? wanted;
  return version === process.versions.node ? process.execPath : fetchNode(version);
}

/** Runs this very command again on another Node. False where that one is running already. */
export async function isRunOn(wanted, timeoutMs) {
  const node = await findNode(wanted);
  if (node === process.execPath) return false;
  const args = [...process.argv.slice(1), '--node', node];
  const { code } = await runNode(args, { node, isShown: true, timeoutMs });
  process.exitCode = code;
  return true;
}

const parent = path.join(root, '.belfry', 'node');
/** The npm package that has the executable of this platform. */
const name = `node-${process.platform}-${process.arch}`;

export function findFetched(version) {
  const node = path.join(parent, version, 'node_modules', name, 'bin', 'node');
  return existsSync(node) ? node : undefined;
}

async function fetchNode(version) {
  const fetched = findFetched(version);
  if (fetched) return fetched;
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  // Moved into its place when it is complete: an interrupted installation leaves no half of a Node there.
  const unfinished = mkdtempSync(path.join(parent, 'unfinished-'));
  const args = ['install', '--prefix', unfinished, '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await step(`fetching Node ${version} (npm install ${name})`, () =>
    npm([...args, `${name}@${version}`]),
  );
  if (code === 0 && !findFetched(version)) renameSync(unfinished, path.join(parent, version));
  rmSync(unfinished, { recursive: true, force: true });
  const node = findFetched(version);
  if (node) return node;
  throw new StepError(
    `Node ${version} could not be fetched:\n${lastLines(output)}\n` +
      'Check the npm registry that is configured, or name a Node that is installed: --node PATH.',
  );
}
