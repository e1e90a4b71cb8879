import { formatLeaf, listLeaves, parseLeaf, withLeaf } from './sample';

const data = { user: 'Ana', order: { id: 88213, items: [{ name: 'Stool' }] } };

describe('sample data as a form', () => {
  test('has one field per leaf, and one field per list', () => {
    expect(listLeaves(data).map(({ path, value }) => `${path}=${formatLeaf(value)}`)).toEqual([
      'user=Ana',
      'order.id=88213',
      'order.items=[{"name":"Stool"}]',
    ]);
  });

  test.each([
    ['Ana', '7', '7'],
    [7, '8', 8],
    [7, 'eight', 'eight'],
    [[1], '[2]', [2]],
    [[1], '[2', undefined],
    [[1], '2', undefined],
    [null, 'null', null],
  ])('reads input over %p, %p, as %p', (before, text, value) => {
    expect(parseLeaf(before, text)).toEqual(value);
  });

  test('changes one leaf and keeps the rest', () => {
    expect(withLeaf(data, 'order.id', 1)).toEqual({ ...data, order: { ...data.order, id: 1 } });
  });
});
