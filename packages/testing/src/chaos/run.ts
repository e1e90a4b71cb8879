import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { repositoryRoot } from '../test-stores';
import { createClient } from './client';
import { createInjector } from './injector';
import { createRandom, type Random } from './random';
import { countOpen, findLeaks, readResources, readRows } from './read-world';
import { type Entry, filterEntries } from './recording';
import { type Report, reportOn } from './report';
import { readStates, skipLongWaits } from './webhooks';
import { planKey } from './workload';
import { deadlineMs, leaseMs, lockMs, openWorld, policy, type World } from './world';

export type ChaosOptions = {
  keys: number;
  seed: number;
  /** One process per role. */
  isFull?: boolean;
  /** Path of the report. The history is written beside it. */
  reportFile?: string;
  /** Ends the run early and cleanly; then there is no verdict. */
  signal?: AbortSignal;
  onProgress?(line: string): void;
};

/** Sends, injects faults, waits until all is settled, and judges the recording. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const recorder = createRecorder(options);
  const world = await openWorld(options.isFull ?? false, recorder.record);
  try {
    await exercise(options, world, recorder);
  } finally {
    await world.close();
    await recorder.close();
  }
  const report = reportOn(recorder.entries, {
    kills: getMinKills(options.keys),
    lateResults: leastLateResults,
  });
  if (options.reportFile) {
    writeFileSync(options.reportFile, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  return report;
}

type Recorder = {
  entries: Entry[];
  record(entry: Entry): void;
  close(): Promise<void>;
};

/** Each entry is written at once, so that an aborted run has its history. */
function createRecorder({ reportFile, keys, seed, isFull = false }: ChaosOptions): Recorder {
  const entries: Entry[] = [];
  if (reportFile) mkdirSync(path.dirname(reportFile), { recursive: true });
  const stream = reportFile
    ? createWriteStream(reportFile.replace(/(\.json)?$/, '.history.jsonl'))
    : undefined;
  function record(entry: Entry): void {
    entries.push(entry);
    stream?.write(`${JSON.stringify(entry)}\n`);
  }
  const settings = { lockMs, deadlineMs, leaseMs, ...policy };
  const cores = availableParallelism();
  record({ type: 'run', seed, keys, isFull, commit: readCommit(), cores, ...settings });
  return {
    entries,
    record,
    close: () => new Promise((resolve) => (stream ? stream.end(resolve) : resolve())),
  };
}

function readCommit(): string {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=10', '--exclude=*'];
    return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** At least 100 from 3,000 keys on; a smaller run makes as many as its size allows. */
function getMinKills(keys: number): number {
  return keys >= 3_000 ? Math.max(100, Math.round(keys / 50)) : Math.round(keys / 25);
}

/** A run without any proves nothing about late results. */
const leastLateResults = 1;

const clientsAtOnce = 16;
/** A run without progress ends after this time, plus a time per key. */
const [longestStartMs, longestPerKeyMs] = [150_000, 250];
/** Time for accepted messages to be settled after the last fault. */
const settleMs = 60_000;

async function exercise(options: ChaosOptions, world: World, recorder: Recorder): Promise<void> {
  const { keys, seed, signal, onProgress } = options;
  const { record, entries } = recorder;
  const random = createRandom(seed);
  for (const [channel, { onAccepted }] of Object.entries(world.simulated.channels)) {
    onAccepted((providerCall) => record({ type: 'send', channel, ...providerCall }));
  }
  const beganMs = performance.now();
  const latestMs = beganMs + longestStartMs + keys * longestPerKeyMs;
  const injector = createInjector({ world, random: random.fork('faults'), record });
  const leastKills = getMinKills(keys);
  const progress = { startedCount: 0, doneCount: 0 };
  const isAborted = () => signal?.aborted ?? false;
  const isLate = () => isAborted() || performance.now() > latestMs;
  const hasKilled = () => injector.kills() >= leastKills;
  const hasMetAll = () => hasKilled() && injector.lateResults() >= leastLateResults;
  const isDone = () => progress.doneCount >= keys;
  let faultsEndedMs = Number.POSITIVE_INFINITY;

  const timer = setInterval(() => {
    onProgress?.(`${progress.doneCount} keys, ${injector.kills()} kills`);
  }, progressEveryMs);
  const sending = send({
    world,
    random: random.fork('workload'),
    record,
    progress,
    share: () => ({ keys: progress.startedCount / keys, kills: injector.kills() / leastKills }),
    isOver: () => isLate() || (progress.startedCount >= keys && hasMetAll()),
    isLost: () => isAborted() || performance.now() > faultsEndedMs + settleMs,
  });
  const failure = await injector
    .run({
      isOver: () => isLate() || (isDone() && hasMetAll()),
      hasEnough: () => isDone() && hasKilled(),
    })
    .then(doNothing, (error: unknown) => ({ error }));
  faultsEndedMs = failure ? 0 : performance.now();
  clearInterval(timer);
  const unanswered = await sending;
  signal?.throwIfAborted();
  if (failure) throw failure.error;
  onProgress?.('faults are finished; waiting until all messages are settled');
  const leaks = await findLeaks(
    world,
    filterEntries(entries, 'answer').map(({ body }) => body),
  );
  for (const leak of leaks) record(leak);
  await waitUntilSettled(world, () => isAborted() || performance.now() > faultsEndedMs + settleMs);
  signal?.throwIfAborted();
  const rows = [...(await readRows(world.database)), ...(await readStates(world.database))];
  for (const entry of [...rows, ...readResources(world)]) record(entry);
  record({ type: 'end', atMs: performance.now(), faultsEndedMs, unanswered });
}

function doNothing(): undefined {
  return undefined;
}

const progressEveryMs = 10_000;

type Sending = {
  world: World;
  random: Random;
  record(entry: Entry): void;
  progress: { startedCount: number; doneCount: number };
  /** Shares of keys begun and kills made. */
  share(): { keys: number; kills: number };
  /** No further key is begun. */
  isOver(): boolean;
  /** Clients give up. */
  isLost(): boolean;
};

/** Maximum lead of keys over kills; beyond it clients slow down, but never stop. */
const mostAhead = 0.05;
const aheadWaitMs = 250;
/** Keys beyond those of the run keep workers busy until it has met all faults. They must make no backlog. */
const extraWaitMs = 2_000;

function getPauseMs({ keys, kills }: { keys: number; kills: number }): number {
  if (keys >= 1) return extraWaitMs;
  return keys > kills + mostAhead ? aheadWaitMs : 0;
}

/** Keys without a final answer. */
async function send(sending: Sending): Promise<string[]> {
  const { world, random, record, progress } = sending;
  const client = createClient({
    tenants: world.tenants,
    simulated: world.simulated.channels,
    gateways: () =>
      world.members.flatMap(({ name, kind, url }) =>
        kind === 'gateway' && url !== undefined ? [{ name, url }] : [],
      ),
    record,
    random: random.fork('client'),
    isOver: sending.isLost,
  });
  const unanswered: string[] = [];

  async function work(): Promise<void> {
    while (!sending.isOver()) {
      const planned = planKey(progress.startedCount, random, world.channels);
      progress.startedCount += 1;
      if (!(await client.use(planned))) unanswered.push(planned.key);
      progress.doneCount += 1;
      await wait(getPauseMs(sending.share()));
    }
  }

  await Promise.all(Array.from({ length: clientsAtOnce }, work));
  return unanswered;
}

const settlePollMs = 250;

async function waitUntilSettled({ database }: World, isLate: () => boolean): Promise<void> {
  while (!isLate()) {
    if ((await countOpen(database)) === 0) return;
    await skipLongWaits(database);
    await wait(settlePollMs);
  }
}
