import { testLosslessRun } from '../src/chaos/lossless-run.fixture';

testLosslessRun('of 500 keys sent through 20 kills nothing is lost, doubled or left open', {
  keys: 500,
  seed: 7,
  kills: 20,
  // Several times what it takes: a run that gets nowhere ends by itself before.
  timeoutMs: 480_000,
});
