/** Memory of the processes and of Redis after this many delivered sends. */
export type SoakSample = { sends: number; gatewayMb: number; workerMb: number; redisKb: number };

export type SoakVerdict = {
  isGood: boolean;
  /** Growth and missing messages; empty if all is well. */
  problems: string[];
};

type SoakFacts = {
  sends: number;
  /** Messages that were sent. */
  stored: number;
  samples: readonly SoakSample[];
  planBefore: string;
  planAfter: string;
};

const measured = ['gatewayMb', 'workerMb', 'redisKb'] as const;
/** Node collects garbage at times of its own: up to this ratio is not growth. */
const flatWithin = { gatewayMb: 1.15, workerMb: 1.15, redisKb: 1.1 };
/** Fewer samples say nothing about growth. */
const leastSamples = 8;

/** Whether all was delivered, nothing grew with the sends, and the log's query plan is unchanged. */
export function judgeSoak({
  sends,
  stored,
  samples,
  planBefore,
  planAfter,
}: SoakFacts): SoakVerdict {
  const problems = [
    ...(stored === sends ? [] : [`${stored} messages were sent of ${sends}`]),
    ...(planAfter === planBefore ? [] : [`the log was read by ${planBefore}, now by ${planAfter}`]),
    ...(samples.length < leastSamples ? [] : findGrowth(samples)),
  ];
  return { isGood: problems.length === 0, problems };
}

/** Redis is compared with its size after the first sends; a process, whose caches fill first, with its second quarter. */
function findGrowth(samples: readonly SoakSample[]): string[] {
  const quarter = Math.floor(samples.length / 4);
  const last = samples.slice(-quarter);
  return measured.flatMap((name) => {
    const early = name === 'redisKb' ? samples.slice(0, 1) : samples.slice(quarter, 2 * quarter);
    const [before, after] = [early, last].map((part) =>
      computeMedian(part.map((each) => each[name])),
    );
    if (before === undefined || after === undefined) return [];
    return after > before * flatWithin[name] ? [`${name} grew from ${before} to ${after}`] : [];
  });
}

function computeMedian(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
