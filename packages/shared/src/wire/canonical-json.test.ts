import { canonicalJson } from './canonical-json';

const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);

describe('canonicalJson', () => {
  test.each<[string, unknown, unknown]>([
    ['the order of members', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['null members outside data', { event: 'e', user: null }, { event: 'e' }],
    [
      'null members of batch items',
      { batch: [{ user: { email: 'a', slack: null } }] },
      { batch: [{ user: { email: 'a' } }] },
    ],
  ])('ignores %s', (_what, a, b) => {
    expect(same(a, b)).toBe(true);
  });

  test.each<[string, unknown, unknown]>([
    ['the order of an array', [1, 2], [2, 1]],
    ['the length of an array', [1, null], [1]],
    ['null inside data, where it is a value', { data: { a: null } }, { data: {} }],
    ['null deep inside data', { data: { a: { b: null } } }, { data: { a: {} } }],
    ['a number and its text', { a: 1 }, { a: '1' }],
    [
      'two long strings with the same start',
      { a: 'x'.repeat(70_000) },
      { a: `${'x'.repeat(69_999)}y` },
    ],
    [
      'a long string and the text of its hash',
      { a: 'x'.repeat(70_000) },
      { a: canonicalJson('x'.repeat(70_000)) },
    ],
  ])('distinguishes %s', (_what, a, b) => {
    expect(same(a, b)).toBe(false);
  });

  test.each<[string, unknown]>([
    ['text without escapes', ['', ' !#[]~', 'a'.repeat(64), 'a'.repeat(65)]],
    ['text with escapes', ['"', '\\', '\n', '\u001f', '\u007f', 'é', '\u2028', '😀', '\ud83d']],
    ['numbers and constants', [0, -0, 1.5, 1e21, -7, true, false]],
    ['member names with escapes', { 'a"': 1, 'b\n': 2, é: 3 }],
    ['a long list', { list: [...Array(40).keys(), 'x', ['y'], 'z'] }],
    ['a long name', { ['n'.repeat(70_000)]: 1 }],
  ])('writes %s like JSON.stringify', (_what, value) => {
    expect(canonicalJson(value)).toBe(JSON.stringify(value));
  });

  test('sorts short and long lists of names by code units', () => {
    const names = ['b', 'a', 'B', '10', '9', 'é', 'aa', '_', '', '😀', '\uffff', 'data', 'z'];
    for (const count of [1, 2, names.length - 1, names.length]) {
      const some = names.slice(0, count);
      const body = Object.fromEntries(some.map((name) => [name, 1]));
      const sorted = some.toSorted().map((name) => `${JSON.stringify(name)}:1`);
      expect(canonicalJson(body)).toBe(`{${sorted.join(',')}}`);
    }
  });
});
