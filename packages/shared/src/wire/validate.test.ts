import { Type } from '@sinclair/typebox';
import { createValidator } from './validate';

describe('a limit on the bytes of a value as JSON', () => {
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
    const bytes = Buffer.byteLength(JSON.stringify(value));
    const withLimit = (limit: number) =>
      createValidator(Type.Unsafe({ 'x-max-json-bytes': limit }));
    expect(withLimit(bytes)(value)).toBe(value);
    expect(() => withLimit(bytes - 1)(value)).toThrow('must be at most');
  });
});
