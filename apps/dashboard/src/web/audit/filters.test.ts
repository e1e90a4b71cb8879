import { contract } from '../../api/contract';
import type { RouteSpec } from '../../api/route-spec';
import { actions } from './filters';

test('the filter of actions has every kind of change', () => {
  const specs: RouteSpec[] = Object.values(contract);
  const written = specs.flatMap(({ audit = [] }) => audit);
  expect(written.length).toBeGreaterThan(50);
  const starts = Object.keys(actions);
  expect(written.filter((action) => !starts.some((start) => action.startsWith(start)))).toEqual([]);
});
