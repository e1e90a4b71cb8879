import { rmSync } from 'node:fs';
import { closeFolder, stopLeftovers } from '@belfry/embedded';
import type { MutantCopy } from '../mutant-copy';

/** Jest's verdict on each file, until Jest ended or was ended. */
export type TestRun = {
  passed: string[];
  failed: string[];
  /** Files that had not finished when no file finished for too long. */
  hanging: string[];
  failedTests: string[];
  output: string;
};

export type TestRunOptions = {
  timeoutMs: number;
  silenceMs: number;
  env: Record<string, string>;
  /** Where the tests keep their own servers. */
  serversFolder: string;
};

/** Runs test files of the copy until one fails. */
export async function runTests(
  copy: MutantCopy,
  files: readonly string[],
  { timeoutMs, silenceMs, env, serversFolder }: TestRunOptions,
): Promise<TestRun> {
  const args = ['--bail=1', '--forceExit', '--workerGracefulExitTimeout=5000', '--maxWorkers=2'];
  await closeFolder(serversFolder);
  const { output, code, isSilent } = await copy.run(
    ['node_modules/jest/bin/jest.js', ...args, '--runTestsByPath', ...files],
    { timeoutMs, silenceMs, env: { ...env, TEST_FOLDER: serversFolder } },
  );
  await endServers(serversFolder);
  const passed = listFiles('PASS', output);
  const failed = listFiles('FAIL', output);
  const unfinished = files.filter((file) => !passed.includes(file) && !failed.includes(file));
  // Code that ends the process ends Jest with it.
  const isEndedByCode = typeof code === 'number' && !isSilent && failed.length === 0;
  return {
    passed,
    failed: isEndedByCode ? unfinished : failed,
    hanging: isSilent ? unfinished : [],
    failedTests: listFailedTests(output),
    output,
  };
}

/** A test that was ended leaves its servers running: they are not in the process group of Jest. */
async function endServers(folder: string): Promise<void> {
  await stopLeftovers(folder);
  rmSync(folder, { recursive: true, force: true });
}

function listFiles(verdict: 'PASS' | 'FAIL', output: string): string[] {
  const lines = output.matchAll(new RegExp(`^${verdict} (?:\\w+ )?(\\S+\\.test\\.\\S+)`, 'gm'));
  return [...new Set([...lines].map(([, file = '']) => file))];
}

const shownTests = 2;

function listFailedTests(output: string): string[] {
  const lines = [...output.matchAll(/^ +● (.*)/gm)].map(([, name = '']) => name.trim());
  return [...new Set(lines)].slice(0, shownTests);
}
