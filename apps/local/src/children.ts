import { setMaxListeners } from 'node:events';
import { type Child, type ChildDeps, type Program, startChild } from './child';

export type Children = {
  /** Starts all programs concurrently; rejects with the first failure. */
  startAll(programs: Program[]): Promise<void>;
  /** Stops them one by one, last first. */
  stopAll(): Promise<void>;
  list(): { name: string; pid: number }[];
};

export function createChildren(deps: Omit<ChildDeps, 'signal'>): Children {
  const stopping = new AbortController();
  // Every program listens while it starts. Node would warn of a leak from the eleventh on.
  setMaxListeners(0, stopping.signal);
  let starting: Promise<PromiseSettledResult<Child>[]> | undefined;
  let children: Child[] = [];

  return {
    async startAll(programs) {
      const start = (program: Program) => startChild(program, { ...deps, signal: stopping.signal });
      starting = Promise.allSettled(programs.map(start));
      const started = await starting;
      children = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const failed = started.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async stopAll() {
      stopping.abort();
      await starting;
      for (const child of children.toReversed()) await child.stop();
    },
    list: () => children.map(({ name, pid }) => ({ name, pid })),
  };
}
