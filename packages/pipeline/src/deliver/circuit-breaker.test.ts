import { createBreaker } from './slots';

function setUp() {
  let nowMs = 1_000;
  const breaker = createBreaker({ now: () => nowMs });
  return {
    breaker,
    pass: (ms: number) => {
      nowMs += ms;
    },
    timeOut(times: number, fairnessKey = 'a') {
      for (let time = 0; time < times; time += 1)
        breaker.recordOutcome(fairnessKey, { isTimeout: true });
    },
  };
}

describe('the circuit breaker', () => {
  test('opens after five timeouts in a row, for 30 s, and only for that fairness key', () => {
    const { breaker, timeOut, pass } = setUp();
    timeOut(4);
    expect(breaker.waitMs('a')).toBeUndefined();
    timeOut(1);
    pass(10_000);
    expect(breaker.waitMs('a')).toBe(20_000);
    expect(breaker.waitMs('b')).toBeUndefined();
  });

  test('stays closed if a response arrives between the timeouts', () => {
    const { breaker, timeOut } = setUp();
    timeOut(4);
    breaker.recordOutcome('a', { isTimeout: false });
    timeOut(4);
    expect(breaker.waitMs('a')).toBeUndefined();
  });

  test('lets one message probe after 30 s, while the others wait 2 s', () => {
    const { breaker, timeOut, pass } = setUp();
    timeOut(5);
    pass(30_000);
    const waits = Array.from({ length: 4 }, () => breaker.waitMs('a'));
    expect(waits).toEqual([undefined, 2_000, 2_000, 2_000]);
  });

  test('opens again at once if the probe times out, and closes if it succeeds', () => {
    const { breaker, timeOut, pass } = setUp();
    timeOut(5);
    pass(30_000);
    breaker.waitMs('a');
    pass(15_000);
    timeOut(1);
    expect(breaker.waitMs('a')).toBe(30_000);
    breaker.recordOutcome('a', { isTimeout: false });
    expect(breaker.waitMs('a')).toBeUndefined();
  });
});
