import type { Answer, PageProblem } from './api';

/** The last answer to a query, and the last problem since then. */
export type Loaded<T> = {
  value: T | undefined;
  readAt: number | undefined;
  problem: PageProblem | undefined;
};
export type Answers = ReturnType<typeof createAnswers>;

const maxCached = 200;
const emptyAnswer: Loaded<never> = { value: undefined, readAt: undefined, problem: undefined };

/** Query cache: a reopened page shows its last data at once, and keeps it while the server is unavailable. */
export function createAnswers({ now }: { now: () => number }) {
  const cache = new Map<string, Loaded<unknown>>();
  const listeners = new Set<() => void>();
  const latestLoads = new Map<string, number>();
  const pendingCounts = new Map<string, number>();

  function put(key: string, loaded: Loaded<unknown>) {
    cache.delete(key);
    cache.set(key, loaded);
    const oldest = cache.keys().next();
    if (cache.size > maxCached && !oldest.done) cache.delete(oldest.value);
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** A key identifies one query, so its answers have one type. */
    get: <T>(key: string): Loaded<T> => (cache.get(key) as Loaded<T> | undefined) ?? emptyAnswer,
    set<T>(key: string, value: T) {
      put(key, { value, readAt: now(), problem: undefined });
    },
    /** Whether a query is pending. */
    isLoading: (key: string) => (pendingCounts.get(key) ?? 0) > 0,
    forgetAll() {
      cache.clear();
      for (const listener of listeners) listener();
    },
    /** If two queries run at once, the answer to the newer one wins. */
    async load<T>(key: string, request: () => Promise<Answer<T>>) {
      const loadNumber = (latestLoads.get(key) ?? 0) + 1;
      latestLoads.set(key, loadNumber);
      pendingCounts.set(key, (pendingCounts.get(key) ?? 0) + 1);
      const answer = await request().finally(() =>
        pendingCounts.set(key, (pendingCounts.get(key) ?? 1) - 1),
      );
      if (latestLoads.get(key) !== loadNumber) return;
      if ('value' in answer) put(key, { value: answer.value, readAt: now(), problem: undefined });
      else put(key, { ...(cache.get(key) ?? emptyAnswer), problem: answer.problem });
    },
  };
}
