// The Node versions that Belfry is tested on. Versions other than the running one are installed from npm into .belfry/node.
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

/** The image's version. Only the Dockerfile defines it. */
export const imageNode =
  /^FROM node:([\d.]+)-/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';

/** The oldest release line that Belfry supports, and the one of the image. */
export const testedNodes = [oldestNode[0], imageNode].map(String);

/**
 * Returns the executable of a version ("24", "24.22.3") or of a path.
 * @param {string} nodeName
 */
export async function findNode(nodeName) {
  if (nodeName.includes(path.sep) && existsSync(nodeName)) return realpathSync(nodeName);
  if (!/^\d+(\.\d+){0,2}$/.test(nodeName)) {
    throw new StepError(
      `--node must be a version such as 24, or the path of a Node (got "${nodeName}")`,
    );
  }
  const preferred = [process.versions.node, imageNode, oldestNode.join('.')];
  const version = preferred.find((each) => `${each}.`.startsWith(`${nodeName}.`)) ?? nodeName;
  return version === process.versions.node ? process.execPath : installNode(version);
}

/**
 * Runs this command again on another Node, unless that Node is already running. Returns whether it did.
 * @param {string} nodeName
 * @param {number} timeoutMs
 */
export async function rerunOnNode(nodeName, timeoutMs) {
  const node = await findNode(nodeName);
  if (node === process.execPath) return false;
  const args = [...process.argv.slice(1), '--node', node];
  const { code } = await runNode(args, { node, isShown: true, timeoutMs });
  process.exitCode = code;
  return true;
}

const nodeFolder = path.join(root, '.belfry', 'node');
/** The npm package with the executable for this platform. */
const name = `node-${process.platform}-${process.arch}`;

export function findInstalledNode(version) {
  const node = path.join(nodeFolder, version, 'node_modules', name, 'bin', 'node');
  return existsSync(node) ? node : undefined;
}

async function installNode(version) {
  const installed = findInstalledNode(version);
  if (installed) return installed;
  mkdirSync(nodeFolder, { recursive: true, mode: 0o700 });
  // Moved into place when it is complete, so that an interrupted installation leaves no incomplete Node there.
  const unfinished = mkdtempSync(path.join(nodeFolder, 'unfinished-'));
  const args = ['install', '--prefix', unfinished, '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await step(`installing Node ${version} (npm install ${name})`, () =>
    npm([...args, `${name}@${version}`]),
  );
  if (code === 0 && !findInstalledNode(version))
    renameSync(unfinished, path.join(nodeFolder, version));
  rmSync(unfinished, { recursive: true, force: true });
  const node = findInstalledNode(version);
  if (node) return node;
  throw new StepError(
    `Could not install Node ${version}:\n${lastLines(output)}\n` +
      'Check the npm registry (npm config get registry), or use an installed Node: --node PATH.',
  );
}
