import { listProblemGroups } from './problem-groups';

const group = (state: string, count: number) => ({
  channel: 'email',
  state,
  reason: null,
  count,
  explanation: null,
});

test('failed groups come first, then unknown and skipped ones, the largest first; other states are left out', () => {
  const groups = [
    group('skipped', 9),
    group('sent', 80),
    group('unknown', 2),
    group('failed', 1),
    group('failed', 5),
  ];
  expect(listProblemGroups(groups)).toEqual([
    group('failed', 5),
    group('failed', 1),
    group('unknown', 2),
    group('skipped', 9),
  ]);
});
