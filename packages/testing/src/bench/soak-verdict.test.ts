import { judgeSoak, type SoakSample } from './soak-verdict';

const flat: SoakSample[] = Array.from({ length: 12 }, (_, index) => ({
  sends: (index + 1) * 100,
  gatewayMb: 120 + (index % 3),
  workerMb: 140 - (index % 2),
  redisKb: 2_000 + index,
}));
const facts = { sends: 1_200, stored: 1_200, samples: flat, planBefore: 'a', planAfter: 'a' };

function growing(name: keyof SoakSample, each: number): SoakSample[] {
  return flat.map((sample, index) => ({ ...sample, [name]: sample[name] + index * each }));
}

describe('the verdict of a soak', () => {
  test('is good if memory and Redis stay the same', () => {
    expect(judgeSoak(facts)).toEqual({ isGood: true, problems: [] });
  });

  test.each([
    ['a gateway that grows', { samples: growing('gatewayMb', 10) }, 'gatewayMb grew'],
    ['a worker that grows', { samples: growing('workerMb', 10) }, 'workerMb grew'],
    ['a Redis that grows', { samples: growing('redisKb', 30) }, 'redisKb grew'],
    ['a missing message', { stored: 1_199 }, '1199 messages were sent of 1200'],
    ['a changed query plan of the log', { planAfter: 'b' }, 'the log was read by a, now by b'],
  ])('reports %s', (_what, changed, problem) => {
    const { isGood, problems } = judgeSoak({ ...facts, ...changed });
    expect(isGood).toBe(false);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});
