import { readSchedule } from './schedule';

const now = new Date('2026-03-01T12:00:00.000Z');
const soonMs = Date.parse('2026-03-02T08:30:15.250Z');

describe('readSchedule', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['0', 0],
    ['"0"', '0'],
    ['an empty string', ''],
    ['white space', '  '],
    ['a negative number', -5],
    ['the past', now.getTime() - 1],
    ['this very moment', now.getTime()],
    ['a past date', '2020-01-01'],
    ['past seconds', 1_577_836_800],
  ])('reads %s as now', (_, value) => {
    expect(readSchedule(value, now)).toEqual({ now: true });
  });

  test.each([
    ['milliseconds', soonMs, soonMs],
    ['milliseconds as text', String(soonMs), soonMs],
    ['milliseconds as text with spaces around', ` ${soonMs} `, soonMs],
    ['seconds', Math.floor(soonMs / 1000), Math.floor(soonMs / 1000) * 1000],
    ['seconds as text', String(Math.floor(soonMs / 1000)), Math.floor(soonMs / 1000) * 1000],
    ['microseconds', soonMs * 1000 + 7, soonMs],
    ['ISO 8601 with Z', '2026-03-02T08:30:15.250Z', soonMs],
    ['ISO 8601 with more digits', '2026-03-02T08:30:15.250999z', soonMs],
    ['ISO 8601 without a zone as UTC', '2026-03-02T08:30:15.25', soonMs],
    ['ISO 8601 with an offset', '2026-03-02T14:00:15.250+05:30', soonMs],
    ['ISO 8601 with an offset without a colon', '2026-03-02T03:30:15.250-0500', soonMs],
    ['ISO 8601 with an offset of hours', '2026-03-02T09:30:15.250+01', soonMs],
    ['a space in place of the T', '2026-03-02 08:30:15.250', soonMs],
    ['hours and minutes', '2026-03-02T08:30', Date.parse('2026-03-02T08:30:00Z')],
    ['a date as its midnight in UTC', '2026-03-02', Date.parse('2026-03-02T00:00:00Z')],
    ['the last moment allowed', now.getTime() + 366 * 86_400_000, now.getTime() + 366 * 86_400_000],
  ])('reads %s', (_, value, atMs) => {
    expect(readSchedule(value, now)).toEqual({ at: new Date(atMs) });
  });

  test.each([
    ['tomorrow'],
    ['2026-13-01'],
    ['2026-02-30'],
    ['2026-03-02T25:00:00Z'],
    ['2026-03-02T08:30:15+99:00'],
    ['03/02/2026'],
    ['Mon, 02 Mar 2026 08:30:15 GMT'],
    ['1e99'],
    [true],
    [{}],
    [Number.NaN],
  ])('does not guess the meaning of %p', (value) => {
    expect(readSchedule(value, now)).toEqual({
      problem: 'must be epoch milliseconds or an ISO 8601 time',
    });
  });

  test('rejects a time more than 366 days ahead', () => {
    expect(readSchedule(now.getTime() + 366 * 86_400_000 + 1, now)).toEqual({
      problem: 'must be at most 366 days ahead',
    });
  });
});
