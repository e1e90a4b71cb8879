import { testLosslessRun } from './lossless-run.fixture';

testLosslessRun('of 3,000 keys sent through 100 kills nothing is lost, doubled or left open', {
  keys: 3_000,
  seed: 11,
  kills: 100,
  // Several times what it takes: a run that gets nowhere ends by itself before.
  timeoutMs: 1_200_000,
});
