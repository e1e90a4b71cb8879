/** A slow step: reported when it starts, every second while it runs, and when it succeeds. */
export type Progress = { step: string; elapsedMs: number; isDone: boolean };

export type OnProgress = (progress: Progress) => void;

export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

const reportEveryMs = 1_000;

export function createSteps(part: string, onProgress: OnProgress = () => {}): Step {
  return async function step(name, work) {
    const begunAt = performance.now();
    const report = (isDone: boolean) =>
      onProgress({
        step: `${part}: ${name}`,
        elapsedMs: Math.round(performance.now() - begunAt),
        isDone,
      });
    report(false);
    const timer = setInterval(() => report(false), reportEveryMs);
    try {
      const result = await work();
      report(true);
      return result;
    } finally {
      clearInterval(timer);
    }
  };
}
