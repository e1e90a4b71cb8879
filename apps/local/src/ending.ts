/** How a start comes to its end: asked by a signal, or because a part of it is lost. */
export type Ending = {
  /** Resolves with the exit code. */
  exitCode: Promise<number>;
  /** Aborted from then on, so that what is still starting stops at its next step. */
  signal: AbortSignal;
  lose(): void;
  /** Lets signals do what they do without us. */
  release(): void;
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function createEnding(onStopRequest: () => void): Ending {
  const controller = new AbortController();
  const { promise: exitCode, resolve } = withResolvers();

  function onSignal(): void {
    // Ctrl-C below npm comes twice: from the terminal, and passed on by npm.
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
