import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from './test-stores';

/**
 * A copy of the sources in a separate folder, which the caller removes. With the `build`, commands compile only what the
 * caller changes in the copy.
 */
export function createWorkspaceCopy({ build = false } = {}): string {
  const copy = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-copy-'));
  copyWorkspace(copy, build);
  return copy;
}

/** The sources with linked installed packages. Workspace links point to the copy. */
function copyWorkspace(target: string, build: boolean): void {
  const skipped = build
    ? /^(node_modules|\.git|\.belfry)$/
    : /^(node_modules|dist|\.git|\.belfry)$/;
  const isCopied = (source: string) =>
    !skipped.test(path.basename(path.relative(repositoryRoot, source)));
  // With new times the compiler would read every file again.
  cpSync(repositoryRoot, target, { recursive: true, filter: isCopied, preserveTimestamps: true });
  linkInstalled(path.join(repositoryRoot, 'node_modules'), path.join(target, 'node_modules'));
  const scope = path.join(target, 'node_modules', '@belfry');
  mkdirSync(scope);
  for (const workspace of workspaces) {
    symlinkSync(path.join(target, workspace), path.join(scope, path.basename(workspace)));
    const own = path.join(repositoryRoot, workspace, 'node_modules');
    if (existsSync(own)) symlinkSync(own, path.join(target, workspace, 'node_modules'));
  }
}

const workspaces = ['packages', 'apps'].flatMap((folder) =>
  readdirSync(path.join(repositoryRoot, folder)).map((name) => path.join(folder, name)),
);

function linkInstalled(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name !== '@belfry') symlinkSync(path.join(from, name), path.join(to, name));
  }
}
