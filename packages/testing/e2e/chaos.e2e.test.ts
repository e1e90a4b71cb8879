import { testLosslessRun } from '../src/chaos/lossless-run.fixture';

testLosslessRun('500 keys sent through 20 kills: none is lost, accepted twice or left unsettled', {
  keys: 500,
  seed: 7,
  kills: 20,
  // Several times the usual duration: a run without progress ends before this.
  timeoutMs: 480_000,
});
