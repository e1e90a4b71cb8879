import { buildRecording } from './check/recording.fixture';
import { recordedRuns } from './recorded-runs';
import { reportOn } from './report';

const report = (seed: number, atMs: number) => ({
  ...reportOn(buildRecording({ faults: [{ atMs }], attempts: [{ closedMs: 1_400 }] }), {
    kills: 0,
    lateResults: 0,
  }),
  seed,
});

describe('recordedRuns', () => {
  const text = recordedRuns([report(7, 320), report(8, 400)]);

  test('has a column for each run', () => {
    expect(text).toContain('| seed | 7 | 8 |');
    expect(text).toContain('| kills by kind | worker 1 | worker 1 |');
    expect(text).toContain('| duplicates by cause | none | none |');
  });

  test('measures recovery over all runs together', () => {
    expect(text).toContain('| process.kill worker | 2 | 1000 | 1080 |');
  });

  test('names the commit and the machine', () => {
    expect(text).toContain('Commit none, two workers with every role, on 2 cores.');
  });
});
