import { getOwn } from './get-own';

test('a name that every object inherits has no value, unless it is set', () => {
  expect(getOwn({ a: 1 }, 'a')).toBe(1);
  expect(getOwn({ a: 1 }, 'b')).toBeUndefined();
  expect(getOwn({}, 'constructor')).toBeUndefined();
  expect(getOwn({ constructor: 2 }, 'constructor')).toBe(2);
});
