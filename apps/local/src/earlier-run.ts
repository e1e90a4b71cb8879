import { readFileSync, rmSync } from 'node:fs';
import { describeProcess, hasEnded, type ProcessFacts, writePrivately } from '@belfry/embedded';
import { StartError } from './start-error';

/** Record of a run, so that the next one can stop the processes that a killed run left. */
export type Run = { supervisor: ProcessFacts; children: ProcessFacts[] };

const endTimeoutMs = 8_000;
const killTimeoutMs = 5_000;

/** Stops the processes of a killed run; rejects if that run is still active. */
export async function endEarlierRun(file: string): Promise<void> {
  const earlier = readRun(file);
  if (!earlier) return;
  if (await isStill(earlier.supervisor)) {
    throw new StartError(
      `Belfry is already running in this folder (process ${earlier.supervisor.pid}). ` +
        'Stop it with Ctrl-C in its terminal, then start again.',
    );
  }
  await Promise.all(earlier.children.map(endProcess));
  rmSync(file, { force: true });
}

/** Records a run before it has children, and each child it starts. */
export async function recordRun(file: string) {
  const supervisor = await describeProcess(process.pid);
  if (!supervisor) throw new Error('Could not read the facts of this process');
  const children = new Map<string, ProcessFacts>();
  const write = () =>
    writePrivately(file, JSON.stringify({ supervisor, children: [...children.values()] }));
  write();
  return {
    async add(name: string, pid: number): Promise<void> {
      const facts = await describeProcess(pid);
      if (facts) children.set(name, facts);
      write();
    },
    end: () => rmSync(file, { force: true }),
  };
}

function readRun(file: string): Run | undefined {
  try {
    const run: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRun(run) ? run : undefined;
  } catch {
    return undefined;
  }
}

function isRun(value: unknown): value is Run {
  const { supervisor, children } = (value ?? {}) as Partial<Run>;
  return isFacts(supervisor) && Array.isArray(children) && children.every(isFacts);
}

function isFacts(value: unknown): value is ProcessFacts {
  const { pid, command, startedAt } = (value ?? {}) as Partial<ProcessFacts>;
  return typeof pid === 'number' && typeof command === 'string' && typeof startedAt === 'string';
}

/** A process id alone is not enough: another program may have it now. */
async function isStill({ pid, command, startedAt }: ProcessFacts): Promise<boolean> {
  const now = await describeProcess(pid);
  return now !== undefined && now.startedAt === startedAt && now.command === command;
}

async function endProcess(facts: ProcessFacts): Promise<void> {
  for (const [signal, withinMs] of [
    ['SIGTERM', endTimeoutMs],
    ['SIGKILL', killTimeoutMs],
  ] as const) {
    if (!(await isStill(facts))) return;
    process.kill(facts.pid, signal);
    if (await hasEnded(facts.pid, withinMs)) return;
  }
}
