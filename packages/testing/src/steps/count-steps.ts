import { type Profiler, Session } from 'node:inspector';
import { watchBuiltins } from './watch-builtins';

export type StepCounter = {
  /**
   * The texts for which `read` takes far more than ten times the steps when they are ten times as long. Steps are
   * executed blocks of code, copied or searched characters and elements, and the steps of regular
   * expressions. They are the same in every run, however busy the machine is. Throwing is a valid result of `read`.
   */
  findSuperlinear(read: (text: string) => unknown, texts: readonly GrowingText[]): string[];
  stop(): void;
};

export type GrowingText = { name: string; repeat(times: number): string };

const times = 40;
/** One step for each pair of characters would be a factor of 100. */
const largestGrowth = 15;

/** Counts only modules that are loaded later: call `jest.resetModules()`, start, then import. */
export function startStepCounter(): StepCounter {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  /** How often each block ran since the last call. */
  function takeBlocks(): Map<string, number> {
    let blocks = new Map<string, number>();
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      blocks = countBlocks(result);
    });
    return blocks;
  }

  function count(read: (text: string) => unknown, texts: readonly string[]) {
    const steps = texts.map((text) => countBuiltinSteps(() => read(text)));
    return { steps, blocks: takeBlocks() };
  }

  return {
    findSuperlinear(read, growing) {
      const [once, small, large] = [1, times, 10 * times].map((size) =>
        growing.map(({ repeat }) => repeat(size)),
      );
      // Initialization in the first call is not counted: each count starts where the one before it ended.
      count(read, once ?? []);
      const before = count(read, small ?? []);
      const after = count(read, large ?? []);
      // Operations that only long texts need run at most twice per character.
      const slack = 2 * Math.max(...(large ?? []).map(({ length }) => length));
      const isTooMany = (few = 0, many = 0) => many > largestGrowth * few + slack;
      return [
        ...growing
          .filter((_, index) => isTooMany(before.steps[index], after.steps[index]))
          .map(({ name }) => name),
        ...[...after.blocks]
          .filter(([block, many]) => isTooMany(before.blocks.get(block), many))
          .map(([block, many]) => `${block}: ${before.blocks.get(block) ?? 0} -> ${many}`),
      ];
    },
    stop() {
      session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

function countBuiltinSteps(work: () => unknown): number {
  const builtins = watchBuiltins();
  try {
    work();
  } catch {
    // The text was read and refused.
  } finally {
    builtins.restore();
  }
  return builtins.countSteps();
}

/** Code that runs the tests or counts. */
const uncounted =
  /\/packages\/testing\/src\/(?!steps\/planted)|\/node_modules\/(?:@?jest|expect|@eslint-community)/;

function countBlocks(scripts: Profiler.ScriptCoverage[]): Map<string, number> {
  const blocks = new Map<string, number>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file:') || uncounted.test(url)) continue;
    for (const { functionName, ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) {
        blocks.set(`${functionName} (${url}:${startOffset}-${endOffset})`, count);
      }
    }
  }
  return blocks;
}
