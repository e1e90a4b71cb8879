import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, type FaultKind, faultKinds, lateResultKind } from './faults';
import type { Random } from './random';
import type { Entry } from './recording';
import type { World } from './world';

export type Injector = {
  /** Faults that ended a process or a store without a warning. */
  kills(): number;
  /** How often a worker recorded an accepted message after another worker had begun with it. */
  lateResults(): number;
  /** Injects faults until `isOver`, then waits until all are repaired. Once it `hasEnough`, only the fault for a late result is left. */
  run(goal: Goal): Promise<void>;
};

/** Other faults make a late result slower or prevent it: a restart of PostgreSQL extends leases. */
export type Goal = { isOver(): boolean; hasEnough(): boolean };

export type InjectorDeps = { world: World; random: Random; record(entry: Entry): void };

const [leastWaitMs, mostWaitMs] = [200, 400];
const faultsAtOnce = 5;

export function createInjector({ world, random, record }: InjectorDeps): Injector {
  const running = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const draw = createDraw(random);
  let kills = 0;
  let lateResults = 0;
  /** Faults in progress. */
  let lateFaults = 0;

  async function run({ isOver, hasEnough }: Goal): Promise<void> {
    while (!isOver() && failures.length === 0) {
      await wait(random.between(leastWaitMs, mostWaitMs));
      if (running.size < faultsAtOnce) inject(hasEnough());
    }
    await Promise.all(running.values());
    // A store that could not be restarted is no finding about the system.
    if (failures.length > 0) throw failures[0];
  }

  function inject(onlyForLate: boolean): void {
    const drawFrom = (kind: FaultKind) =>
      kind.draw(world, random, (target) => !running.has(target));
    const forLate = needsLateResult() ? drawFrom(lateResultKind) : undefined;
    const fault = forLate ?? (onlyForLate ? undefined : draw(drawFrom));
    if (!fault) return;
    const isForLate = fault.name === lateResultKind.name;
    if (isForLate) lateFaults += 1;
    const ended = hit(fault).finally(() => {
      running.delete(fault.target);
      if (isForLate) lateFaults -= 1;
    });
    running.set(fault.target, ended);
  }

  /** From the start on, while the backlog is small and abandoned messages are retried at once; one at a time. */
  function needsLateResult(): boolean {
    return lateResults === 0 && lateFaults === 0;
  }

  async function hit(fault: Fault): Promise<void> {
    const { name, target, isKill } = fault;
    const atMs = performance.now();
    if (isKill) kills += 1;
    const result = await fault.run().catch((error: unknown) => {
      if (isKill) failures.push(error);
      return undefined;
    });
    // A process that did not end on request was killed.
    if (result?.isKill) kills += 1;
    const { isLate = false, ...entry } = result ?? {};
    if (isLate) lateResults += 1;
    const liftedMs = performance.now();
    for (const pid of listPids(fault)) {
      record({ type: 'fault', name, target, isKill, atMs, liftedMs, ...entry, pid });
    }
  }

  return { kills: () => kills, lateResults: () => lateResults, run };
}

/** One link may be broken for two processes, one after the other. */
function listPids({ pid, pidAtEnd }: Fault): Set<number | undefined> {
  return new Set([pid, pidAtEnd ? pidAtEnd() : pid]);
}

/** Goes through all kinds in rounds, each in another order. A fault without a target now stays for later. */
function createDraw(random: Random) {
  let remaining: FaultKind[] = [];
  return function draw(drawFrom: (kind: FaultKind) => Fault | undefined): Fault | undefined {
    if (remaining.length === 0)
      remaining = faultKinds.flatMap((kind) => Array(kind.weight).fill(kind));
    const kind = random.pick(remaining);
    const fault = drawFrom(kind);
    if (fault) remaining.splice(remaining.indexOf(kind), 1);
    return fault;
  };
}
