import type { Logger } from '@belfry/runtime';

export type RunStep = <T>(part: string, step: () => Promise<T>) => Promise<T | undefined>;

/** Runs a step of the relay; undefined if it failed. Logs an outage once, not on every run. `failing` gets the failing parts. */
export function createRunStep(log: Logger, failing = new Set<string>()): RunStep {
  return async function runStep<T>(part: string, step: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await step();
      if (failing.delete(part)) log.info('relay.step_restored', { part });
      return result;
    } catch (error) {
      if (!failing.has(part)) log.warn('relay.step_failed', { part, error });
      failing.add(part);
      return undefined;
    }
  };
}
