/** What the processes and Redis hold when so many sends are delivered. */
export type SoakSample = { sends: number; gatewayMb: number; workerMb: number; redisKb: number };

export type SoakVerdict = {
  isGood: boolean;
  /** What grew, or went missing; empty where all is well. */
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
/** Garbage is collected when it suits Node: so much more at the end is no growth. */
const flatWithin = { gatewayMb: 1.15, workerMb: 1.15, redisKb: 1.1 };
/** Fewer say nothing about growth. */
const leastSamples = 8;

/** Whether all was delivered, nothing grew with the sends, and the log is read as it was in the beginning. */
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

/** Redis against its size after the first sends; a process, which first fills its caches, against its second quarter. */
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
