import fc from 'fast-check';
import { isJsonWithin } from './validate';

const countBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('isJsonWithin', () => {
  const values: [string, unknown][] = [
    ['empty texts', Array(500).fill('')],
    ['long numbers', Array(500).fill(-1.7976931348623157e308)],
    ['escaped characters', '\u0001'.repeat(500)],
    ['characters of three bytes', '✓'.repeat(500)],
    ['lone surrogates', '\ud800'.repeat(500)],
    [
      'escaped keys',
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => ['\u0001'.repeat(n), n])),
    ],
    ['empty objects', Array(500).fill({})],
    ['constants', [true, false, null]],
  ];

  test.each(values)('is true up to the exact size and false below: %s', (_what, value) => {
    expect(isJsonWithin(value, countBytes(value))).toBe(true);
    expect(isJsonWithin(value, countBytes(value) - 1)).toBe(false);
  });

  test('agrees with JSON.stringify for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.double({ min: 0.01, max: 60, noNaN: true }), (value, part) => {
        const maxBytes = Math.floor(countBytes(value) * part);
        expect(isJsonWithin(value, maxBytes)).toBe(countBytes(value) <= maxBytes);
      }),
    );
  });
});
