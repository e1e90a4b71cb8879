import { createSample } from './sample';

test('made-up data has a value at every path that templates read, lists and their members too', () => {
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

test('made-up data leaves out what is no name of a member', () => {
  expect(createSample(['this', 'this[].name', '__proto__.polluted'])).toEqual({});
});
