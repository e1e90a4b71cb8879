import { bytes, count, duration, plural, rate } from './format';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

test.each([
  [0, '0 ms'],
  [6.4, '6 ms'],
  [999, '999 ms'],
  [second, '1.0 s'],
  [4_100, '4.1 s'],
  [4_120, '4.12 s'],
  [9_949, '9.95 s'],
  [9_950, '10 s'],
  [59_400, '59 s'],
  [minute, '1 m 0 s'],
  [3 * minute + 57 * second, '3 m 57 s'],
  [hour - 1, '59 m 59 s'],
  [hour, '1 h 0 m'],
  [2 * hour + 5 * minute, '2 h 5 m'],
  [48 * hour - 1, '47 h 59 m'],
  [48 * hour, '2 d'],
  [71 * hour, '2 d'],
])('%d ms are shown as %j', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('numbers are grouped, one at its limit gets a plus sign, and a rate above 0 is not shown as 0', () => {
  expect([count(1_204), count(999, 1_000), count(1_000, 1_000)]).toEqual([
    '1,204',
    '999',
    '1,000+',
  ]);
  expect([rate(0), rate(1 / 30), rate(1 / 300)]).toEqual(['0.0', '0.03', '0.003']);
  expect([rate(0.25), rate(99.94), rate(100), rate(2_759.4)]).toEqual([
    '0.3',
    '99.9',
    '100',
    '2,759',
  ]);
  expect([plural(0, 'item'), plural(1, 'item'), plural(1_000, 'item')]).toEqual([
    '0 items',
    '1 item',
    '1,000 items',
  ]);
  expect([bytes(1_023), bytes(1_024), bytes(1_536)]).toEqual(['1023 bytes', '1 KB', '1.5 KB']);
});
