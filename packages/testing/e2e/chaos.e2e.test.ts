import { testLosslessRun } from '../src/chaos/lossless-run.fixture';

/** The full run sends 3,000 keys through 100 kills. */
testLosslessRun('250 keys sent through 10 kills: none is lost, accepted twice or left unsettled', {
  keys: 250,
  seed: 7,
  kills: 10,
  // Several times the usual duration: a run without progress ends before this.
  timeoutMs: 300_000,
});
