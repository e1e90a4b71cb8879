import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { runScript } from './mutants/run-script';
import { repositoryRoot } from './test-stores';
import { linkInstalled } from './workspace-copy';

/** The release before this one, as a commit or a tag. Set it after each release. */
const versionBefore = 'c4aeba9f1169da12fb6ff6329e4401d19392e7f7';

/** A built tree of the version before. */
export type VersionBefore = {
  root: string;
  /** Runs its command line; returns the output. */
  belfry(args: readonly string[], env: Record<string, string>): Promise<string>;
  remove(): void;
};

/** Long enough to install the packages too, on a busy machine. */
const buildTimeoutMs = 900_000;
const commandTimeoutMs = 120_000;
const maxOutputCharacters = 4_000;

const run = promisify(execFile);

export async function buildVersionBefore(): Promise<VersionBefore> {
  const root = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-before-'));
  const runNode = async (args: readonly string[], timeoutMs: number, env = {}) => {
    const { code, output } = await runScript(args, { cwd: root, timeoutMs, env });
    if (code === 0) return output;
    const end = output.slice(-maxOutputCharacters);
    throw new Error(`${args.join(' ')} of the version before exited with ${code}:\n${end}`);
  };
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    await extract(root);
    if (readPackages(root) === readPackages(repositoryRoot)) linkInstalled(root);
    await runNode(['scripts/build.mjs'], buildTimeoutMs);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    root,
    belfry: (args, env) => runNode(['apps/cli/dist/main.js', ...args], commandTimeoutMs, env),
    remove,
  };
}

async function extract(root: string): Promise<void> {
  const archive = path.join(root, 'tree.tar');
  const git = ['-C', repositoryRoot, 'archive', `--output=${archive}`, versionBefore];
  await run('git', git).catch((cause: unknown) => {
    throw new Error(
      `This clone lacks the version before, ${versionBefore}. If it is shallow, run: git fetch --unshallow. ` +
        'Otherwise set versionBefore in packages/testing/src/version-before.ts to the last release.',
      { cause },
    );
  });
  await run('tar', ['-xf', archive, '-C', root]);
  rmSync(archive);
}

/** The installed packages of the lock file, without the workspaces, whose version changes with each release. */
function readPackages(root: string): string {
  const lock: unknown = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const { packages = {} } = lock as { packages?: Record<string, unknown> };
  const entries = Object.entries(packages);
  return JSON.stringify(entries.filter(([folder]) => folder.includes('node_modules/')));
}
