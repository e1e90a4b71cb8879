import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { OnProgress } from '@belfry/embedded';
import { createLogger, createShutdown } from '@belfry/runtime';
import { readChoices, type Variables } from './choices';
import { endEarlierRun } from './earlier-run';
import { createEnding } from './ending';
import { preparePaths } from './local-paths';
import { openLogFile } from './log-file';
import { createPaint } from './paint';
import { type Session, start } from './start';

export type LocalInput = {
  /** The repository's folder. */
  root: string;
  version: string;
  env: Variables;
  args: string[];
  /** Start time of the command, by `performance.now()`. */
  startedAtMs: number;
  isColored: boolean;
  onProgress: OnProgress;
  print(line: string): void;
};

const stopTimeoutMs = 60_000;
/** How long the shutdown waits for the current step of the start. */
const settleTimeoutMs = 5_000;

/** Runs everything on this machine until a signal; resolves with the exit code. */
export async function runLocal(input: LocalInput): Promise<number> {
  const choices = readChoices(input.env, input.args);
  const paths = await preparePaths(input.root, {
    hasServers: !(choices.databaseUrl && choices.redisUrl),
    onProgress: input.onProgress,
  });
  await endEarlierRun(paths.run);
  rmSync(paths.ready, { force: true });

  const logFile = openLogFile(path.join(paths.logs, 'local.log'));
  const log = createLogger({ level: 'info', process: 'local', stream: logFile.stream });
  const shutdown = createShutdown({ log, timeoutMs: stopTimeoutMs });
  const ending = createEnding(function onStopRequest() {
    rmSync(paths.ready, { force: true });
    input.print('Stopping ...');
  });
  const paint = createPaint(input.isColored);
  const session: Session = { ...input, paths, choices, log, shutdown, ending, paint };

  const starting = start(session);
  try {
    await Promise.race([starting, ending.exitCode]);
    return await ending.exitCode;
  } finally {
    await Promise.race([
      starting.catch(() => {}),
      wait(settleTimeoutMs, undefined, { ref: false }),
    ]);
    const isClean = await shutdown.run('the end of the run');
    input.print(isClean ? 'Stopped.' : `Some processes did not stop in order; see ${paths.logs}.`);
    rmSync(paths.ready, { force: true });
    ending.release();
    logFile.close();
  }
}
