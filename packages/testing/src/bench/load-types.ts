export type LoadTarget = {
  url: string;
  headers: Record<string, string>;
  /** Ten number signs in a header or the body are replaced by the call's number. */
  body: string;
};

/** One period of load on one server. */
export type LoadSpec = {
  /** Connections are distributed over the targets in turn. */
  targets: LoadTarget[];
  connections: number;
  durationMs: number;
  /** Maximum number of calls. */
  calls?: number;
  /** Calls per second, evenly spaced; if undefined, as fast as answers come. */
  perSecond?: number;
  /** The number of the first call. */
  firstNumber: number;
  /** Whether to report when each call was sent and answered. */
  keepsSamples?: boolean;
};

/** Times are those of `readSharedClockMs`. */
export type Sample = { number: number; sentAtMs: number; answeredAtMs: number };

export type LoadResult = {
  calls: number;
  /** Answers other than 2xx, and broken connections. */
  failedCalls: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
  nextNumber: number;
  samples: Sample[];
};
