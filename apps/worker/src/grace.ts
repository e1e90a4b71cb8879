export type GraceDeps = {
  /** When PostgreSQL started: a new start begins the grace again. */
  readServerStart(): Promise<string>;
  /** The longest lease of any channel. */
  longestLeaseMs: number;
};

/**
 * No lease runs out in the first lease length after this relay, or PostgreSQL, came back: workers
 * that could not record meanwhile come first. A server that did not answer, and a process that was
 * frozen, came back like one that was started.
 */
export function createGrace({ readServerStart, longestLeaseMs }: GraceDeps) {
  const longestGapMs = longestLeaseMs / 2;
  let server: string | undefined;
  let beganAtMs = performance.now();
  let seenAtMs = beganAtMs;

  async function readStart(): Promise<string | undefined> {
    try {
      return await readServerStart();
    } catch (error) {
      server = undefined;
      throw error;
    }
  }

  return {
    async isOver(): Promise<boolean> {
      const start = await readStart();
      const now = performance.now();
      if (start !== server || now - seenAtMs > longestGapMs) beganAtMs = now;
      server = start;
      seenAtMs = now;
      return now - beganAtMs >= longestLeaseMs;
    },
  };
}
