import { testLosslessRun } from './lossless-run.fixture';

testLosslessRun(
  '3,000 keys sent through 100 kills: none is lost, accepted twice or left unsettled',
  {
    keys: 3_000,
    seed: 11,
    kills: 100,
    // Several times the usual duration: a run without progress ends before this.
    timeoutMs: 1_200_000,
  },
);
