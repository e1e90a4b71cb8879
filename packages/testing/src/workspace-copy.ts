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

/** The sources with linked installed packages. */
function copyWorkspace(target: string, build: boolean): void {
  const skipped = build
    ? /^(node_modules|\.git|\.belfry)$/
    : /^(node_modules|dist|\.git|\.belfry)$/;
  const isCopied = (source: string) =>
    !skipped.test(path.basename(path.relative(repositoryRoot, source)));
  // With new times the compiler would read every file again.
  cpSync(repositoryRoot, target, { recursive: true, filter: isCopied, preserveTimestamps: true });
  linkInstalled(target);
}

/** Links the installed packages of this checkout into another tree. The links of workspaces point to that tree. */
export function linkInstalled(tree: string): void {
  const installed = path.join(repositoryRoot, 'node_modules');
  const links = path.join(tree, 'node_modules');
  const scope = path.join(links, '@belfry');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== '@belfry') symlinkSync(path.join(installed, name), path.join(links, name));
  }
  for (const workspace of listWorkspaces(tree)) {
    symlinkSync(path.join(tree, workspace), path.join(scope, path.basename(workspace)));
    const own = path.join(repositoryRoot, workspace, 'node_modules');
    if (existsSync(own)) symlinkSync(own, path.join(tree, workspace, 'node_modules'));
  }
}

const listWorkspaces = (tree: string) =>
  ['packages', 'apps'].flatMap((folder) =>
    readdirSync(path.join(tree, folder)).map((name) => path.join(folder, name)),
  );
