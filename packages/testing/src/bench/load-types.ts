export type LoadTarget = {
  url: string;
  headers: Record<string, string>;
  /** A run of ten number signs in a header or the body becomes the call's number. */
  body: string;
};

/** One stretch of load on one server. */
export type LoadSpec = {
  /** Connections are dealt out to the targets in turn. */
  targets: LoadTarget[];
  connections: number;
  durationMs: number;
  /** Calls, at most. */
  calls?: number;
  /** Calls a second, spread evenly; undefined is as fast as answers come. */
  perSecond?: number;
  /** Of the first call. */
  firstNumber: number;
  /** Whether to tell when each call was sent and answered. */
  keepsSamples?: boolean;
};

/** Times are Unix milliseconds. */
export type Sample = { number: number; sentAtMs: number; answeredAtMs: number };

export type LoadResult = {
  calls: number;
  /** Answers that were no 2xx, and connections that broke. */
  failedCalls: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
  nextNumber: number;
  samples: Sample[];
};
