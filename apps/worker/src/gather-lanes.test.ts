import { type Gathered, gatherLanes } from './gather-lanes';

function messages(appId: string, count: number, facts: Partial<Gathered> = {}): Gathered[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${appId}${index}`,
    appId,
    isBulk: false,
    integrationId: undefined,
    ...facts,
  }));
}

function gather(given: Gathered[]) {
  return gatherLanes(given, { channel: 'email', newId: () => 'job' }).map(({ lane, ids }) => [
    lane,
    ids.length,
  ]);
}

describe('gatherLanes', () => {
  test('lets the apps’ jobs take turns', () => {
    expect(gather([...messages('a', 50), ...messages('b', 1)])).toEqual([
      ['a', 20],
      ['b', 1],
      ['a', 20],
      ['a', 10],
    ]);
  });

  test('puts every single send before bulk, in jobs of their own', () => {
    const given = [...messages('a', 2, { isBulk: true }), ...messages('b', 1), ...messages('a', 1)];
    expect(gather(given)).toEqual([
      ['b', 1],
      ['a', 1],
      ['a', 2],
    ]);
  });

  test('makes jobs of one integration each', () => {
    const given = [
      ...messages('a', 3, { integrationId: 'i1' }),
      ...messages('a', 2, { integrationId: 'i2' }),
    ];
    expect(gather(given)).toEqual([
      ['i1', 3],
      ['i2', 2],
    ]);
  });
});
