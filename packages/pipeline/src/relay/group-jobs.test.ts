import { groupIntoJobs, type JobMessage } from './group-jobs';

function messages(appId: string, count: number, facts: Partial<JobMessage> = {}): JobMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${appId}${index}`,
    appId,
    isBulk: false,
    integrationId: undefined,
    ...facts,
  }));
}

function gather(input: JobMessage[]) {
  return groupIntoJobs(input, { channel: 'email', newId: () => 'job' }).map(
    ({ fairnessKey, ids }) => [fairnessKey, ids.length],
  );
}

describe('groupIntoJobs', () => {
  test('alternates the jobs of the apps', () => {
    expect(gather([...messages('a', 50), ...messages('b', 1)])).toEqual([
      ['a', 20],
      ['b', 1],
      ['a', 20],
      ['a', 10],
    ]);
  });

  test('puts all single sends before bulk, in separate jobs', () => {
    const input = [...messages('a', 2, { isBulk: true }), ...messages('b', 1), ...messages('a', 1)];
    expect(gather(input)).toEqual([
      ['b', 1],
      ['a', 1],
      ['a', 2],
    ]);
  });

  test('creates jobs with one integration each', () => {
    const input = [
      ...messages('a', 3, { integrationId: 'i1' }),
      ...messages('a', 2, { integrationId: 'i2' }),
    ];
    expect(gather(input)).toEqual([
      ['i1', 3],
      ['i2', 2],
    ]);
  });
});
