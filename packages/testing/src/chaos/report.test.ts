import { buildRecording, type RunInput } from './check/recording.fixture';
import { reportOn } from './report';

const second = { openedMs: 8_500, closedMs: 9_000 };
const input: RunInput = {
  message: { attempts: 2, unknownCount: 1, settledMs: 9_000 },
  sends: [{}, { atMs: 8_600, answeredMs: 8_610 }],
  faults: [{ name: 'process.stop_until_late', liftedMs: 8_550, isKill: false }],
};

const report = (first: NonNullable<RunInput['attempts']>[number]) =>
  reportOn(buildRecording({ ...input, attempts: [first, second] }), { kills: 0, lateResults: 1 });

describe('a late result', () => {
  test('is an acceptance recorded while a newer attempt of its message was open', () => {
    expect(report({ closedMs: 8_600 })).toMatchObject({ late_results: 1, isGood: true });
  });

  test.each([
    ['nothing was sent, so nothing settled', { closedMs: 8_600, outcome: 'retry' }],
    ['it is recorded before the newer attempt begins', { closedMs: 8_400, outcome: 'unknown' }],
    ['it is recorded after the newer attempt has ended', { closedMs: 9_100 }],
  ])('is not counted if %s; a run without one proves nothing', (_what, first) => {
    expect(report(first)).toMatchObject({ late_results: 0, violations: [], isGood: false });
  });
});
