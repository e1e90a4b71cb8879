import type { Answer, PageProblem } from './api';

/** What the server said last to a question, and what went wrong since. */
export type Loaded<T> = {
  value: T | undefined;
  readAt: number | undefined;
  problem: PageProblem | undefined;
};
export type Answers = ReturnType<typeof createAnswers>;

const maxKept = 200;
const nothing: Loaded<never> = { value: undefined, readAt: undefined, problem: undefined };

/** Answers by question: a page that was open before shows its last data at once, and keeps it while the server is away. */
export function createAnswers({ now }: { now: () => number }) {
  const kept = new Map<string, Loaded<unknown>>();
  const listeners = new Set<() => void>();
  const asked = new Map<string, number>();
  const open = new Map<string, number>();

  function put(key: string, loaded: Loaded<unknown>) {
    kept.delete(key);
    kept.set(key, loaded);
    const oldest = kept.keys().next();
    if (kept.size > maxKept && !oldest.done) kept.delete(oldest.value);
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** A key names one question, and a question has one type of answer. */
    get: <T>(key: string): Loaded<T> => (kept.get(key) as Loaded<T> | undefined) ?? nothing,
    set<T>(key: string, value: T) {
      put(key, { value, readAt: now(), problem: undefined });
    },
    /** Whether an answer is still to come. */
    isAsking: (key: string) => (open.get(key) ?? 0) > 0,
    forgetAll() {
      kept.clear();
      for (const listener of listeners) listener();
    },
    /** Of two questions that are open at once, the answer to the newer one stands. */
    async load<T>(key: string, ask: () => Promise<Answer<T>>) {
      const turn = (asked.get(key) ?? 0) + 1;
      asked.set(key, turn);
      open.set(key, (open.get(key) ?? 0) + 1);
      const answer = await ask().finally(() => open.set(key, (open.get(key) ?? 1) - 1));
      if (asked.get(key) !== turn) return;
      if ('value' in answer) put(key, { value: answer.value, readAt: now(), problem: undefined });
      else put(key, { ...(kept.get(key) ?? nothing), problem: answer.problem });
    },
  };
}
