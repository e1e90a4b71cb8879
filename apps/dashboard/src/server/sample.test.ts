import { createSample } from './sample';

test('generated data has a value at every path that templates read, including lists and their items', () => {
  expect(
    createSample([
      'order.id',
      'order.items[].name',
      'order.items[].quantity',
      'shipped_at',
      'tags[]',
    ]),
  ).toEqual({
    order: {
      id: 'A-1001',
      items: [
        { name: 'Ana', quantity: 2 },
        { name: 'Ana', quantity: 2 },
      ],
    },
    shipped_at: 1_763_035_200_000,
    tags: ['tags', 'tags'],
  });
});

test('generated data omits paths that are not valid names', () => {
  expect(createSample(['this', 'this[].name', '__proto__.polluted'])).toEqual({});
});
