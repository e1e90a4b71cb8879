import { type Child, type ChildDeps, type Program, startChild } from './child';

export type Children = {
  /** Starts them side by side, and rejects with the first that does not come up. */
  startAll(programs: Program[]): Promise<void>;
  /** Ends them one after the other, the last of the list first. */
  stopAll(): Promise<void>;
  list(): { name: string; pid: number }[];
};

export function createChildren(deps: ChildDeps): Children {
  let children: Child[] = [];

  return {
    async startAll(programs) {
      const started = await Promise.allSettled(programs.map((each) => startChild(each, deps)));
      children = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const failed = started.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async stopAll() {
      for (const child of children.toReversed()) await child.stop();
    },
    list: () => children.map(({ name, pid }) => ({ name, pid })),
  };
}
