import { formatNumber, formatTime } from './times';

const now = Date.UTC(2026, 6, 1, 12);
const minute = 60_000;
const [hour, day] = [60 * minute, 1_440 * minute];

describe('formatTime', () => {
  test.each([
    [0, 'now'],
    [59_999, 'now'],
    [-5 * minute, 'now'],
    [minute, '1 min. ago'],
    [59 * minute, '59 min. ago'],
    [hour, '1 hr. ago'],
    [day, 'yesterday'],
    [6.9 * day, '6 days ago'],
    [7 * day, 'Jun 24, 2026'],
  ])('shows a time %d ms ago as %s', (agoMs, expected) => {
    expect(formatTime('en', now - agoMs, now)).toBe(expected);
  });

  test.each([
    ['de', 'vor 5 Min.'],
    ['ja', '5 分前'],
    ['ar-EG', 'قبل ٥ دقائق'],
  ])('uses the language %s', (language, expected) => {
    expect(formatTime(language, now - 5 * minute, now)).toBe(expected);
  });

  test('accepts a language tag that is not well-formed', () => {
    expect(formatTime('not a tag', now, now)).toEqual(expect.any(String));
  });
});

test('formatNumber uses the digits of the language', () => {
  expect([formatNumber('en', 42), formatNumber('ar-EG', 42)]).toEqual(['42', '٤٢']);
});
