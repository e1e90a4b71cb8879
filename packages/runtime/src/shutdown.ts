import type { Logger } from './log';

/** Closes the resources of a process, newest first. */
export type Shutdown = {
  /** Registers a resource to close; later ones are closed first. */
  add(name: string, close: () => Promise<void> | void): void;
  /** True after `run` was called. */
  isShuttingDown(): boolean;
  /** Closes everything once, within the time limit; true if everything closed. */
  run(reason: string): Promise<boolean>;
};

export function createShutdown({ log, timeoutMs }: { log: Logger; timeoutMs: number }): Shutdown {
  const closers: { name: string; close: () => Promise<void> | void }[] = [];
  let running: Promise<boolean> | undefined;

  async function closeAll(deadline: number): Promise<boolean> {
    let isClean = true;
    for (const { name, close } of closers.reverse()) {
      const isClosed = await closeOne(name, close, deadline - Date.now());
      isClean &&= isClosed;
    }
    return isClean;
  }

  async function closeOne(
    name: string,
    close: () => Promise<void> | void,
    leftMs: number,
  ): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), Math.max(leftMs, 50));
    });
    try {
      const result = await Promise.race([
        Promise.resolve(close()).then(() => 'closed' as const),
        limit,
      ]);
      if (result === 'late') log.warn('shutdown.late', { part: name });
      return result === 'closed';
    } catch (error) {
      log.warn('shutdown.failed', { part: name, error });
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    add: (name, close) => closers.push({ name, close }),
    isShuttingDown: () => running !== undefined,
    run(reason) {
      running ??= (async () => {
        log.info('shutdown.begin', { reason });
        const isClean = await closeAll(Date.now() + timeoutMs);
        log.info('shutdown.end', { is_clean: isClean });
        return isClean;
      })();
      return running;
    },
  };
}

/** Exits on SIGTERM and SIGINT: with 0 if everything closed in time, else with 1. */
export function exitOnSignals(shutdown: Shutdown): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      void shutdown.run(signal).then((isClean) => process.exit(isClean ? 0 : 1));
    });
  }
}
