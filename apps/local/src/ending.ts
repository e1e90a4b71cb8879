/** The end of a run: by a signal, or because one of its processes keeps failing. */
export type Ending = {
  /** Resolves with the exit code. */
  exitCode: Promise<number>;
  /** Aborted at the end, so that a start in progress stops at its next step. */
  signal: AbortSignal;
  lose(): void;
  /** Restores the default behavior of signals. */
  release(): void;
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function createEnding(onStopRequest: () => void): Ending {
  const controller = new AbortController();
  const { promise: exitCode, resolve } = withResolvers();

  function onSignal(): void {
    // Under npm, Ctrl-C arrives twice: from the terminal, and forwarded by npm.
    if (controller.signal.aborted) return;
    onStopRequest();
    controller.abort();
    resolve(0);
  }
  for (const signal of signals) process.on(signal, onSignal);

  return {
    exitCode,
    signal: controller.signal,
    lose() {
      controller.abort();
      resolve(1);
    },
    release() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function withResolvers(): { promise: Promise<number>; resolve(code: number): void } {
  let resolve: (code: number) => void = () => {};
  const promise = new Promise<number>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
