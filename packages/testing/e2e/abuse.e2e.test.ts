import { runAbuse } from '@belfry/testing';

const timeoutMs = 240_000;

/** Small, and judged without a clock: what `npm run abuse` says of milliseconds needs a quiet machine. */
test(
  'generated attacks get no wrong answer, no exception and end no process',
  async () => {
    const report = await runAbuse({ seed: 7, templates: 60, isQuick: true });
    expect(report.kinds.flatMap(({ problems }) => problems)).toEqual([]);
    expect(report.kinds.filter(({ tried }) => tried === 0)).toEqual([]);
  },
  timeoutMs,
);
