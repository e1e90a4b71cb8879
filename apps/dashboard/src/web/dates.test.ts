import { createDates, formatFull, parseInput } from './dates';

const berlin = createDates('Europe/Berlin');
const utc = createDates('UTC');
const at = (iso: string) => Date.parse(iso);

describe('a time', () => {
  test('has its date in a row unless it is today, and the day ends at midnight of the zone', () => {
    const [late, early] = [at('2026-11-29T22:59:59Z'), at('2026-11-29T23:00:00Z')];
    const now = at('2026-11-30T07:04:09.005Z');
    expect([late, early].map((ms) => berlin.formatMoment(ms, now))).toEqual([
      '29 Nov 23:59:59',
      '00:00:00',
    ]);
    expect([late, early].map((ms) => utc.formatMoment(ms, now))).toEqual([
      '29 Nov 22:59:59',
      '29 Nov 23:00:00',
    ]);
    expect([berlin.formatMinute(late, now), berlin.formatMinute(early, now)]).toEqual([
      '29 Nov 23:59',
      '00:00',
    ]);
    expect([utc.formatTime(now), utc.formatMillis(now)]).toEqual(['07:04:09', '.005']);
  });

  test('of another year has the year, also on the same day and month', () => {
    const now = at('2026-01-01T00:30:00Z');
    expect(utc.formatMoment(at('2025-12-31T23:59:59Z'), now)).toBe('31 Dec 2025 23:59');
    expect(utc.formatMoment(at('2025-01-01T00:30:00Z'), now)).toBe('1 Jan 2025 00:30');
    expect(berlin.formatMoment(at('2025-12-31T23:59:59Z'), now)).toBe('00:59:59');
  });

  test('has date, time and zone in details, with the offset of that day', () => {
    const winter = at('2026-11-30T11:04:31Z');
    expect(berlin.formatFull(winter)).toBe('30 Nov 2026 12:04:31 UTC+01:00');
    expect(utc.formatFull(winter)).toBe('30 Nov 2026 11:04:31 UTC');
    expect(createDates('America/New_York').formatFull(winter)).toBe(
      '30 Nov 2026 06:04:31 UTC-05:00',
    );
    expect(createDates('Asia/Kolkata').formatFull(winter)).toBe('30 Nov 2026 16:34:31 UTC+05:30');
  });

  test('skips the missing hour when clocks go forward, and tells both repeated hours apart when they go back', () => {
    expect(['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'].map(at).map(berlin.formatFull)).toEqual(
      ['29 Mar 2026 01:59:59 UTC+01:00', '29 Mar 2026 03:00:00 UTC+02:00'],
    );
    expect(['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(at).map(berlin.formatFull)).toEqual(
      ['25 Oct 2026 02:30:00 UTC+02:00', '25 Oct 2026 02:30:00 UTC+01:00'],
    );
  });

  test('in a text of the server moves to the zone, and stays as it is in UTC', () => {
    const text =
      'Accepted at 2026-11-29T23:30:00.250Z. Since 2026-07-01 10:31 UTC, not 2026-11-29 or v1.2.';
    expect(berlin.convertDates(text)).toBe(
      'Accepted at 2026-11-30T00:30:00.250+01:00. Since 2026-07-01 12:31 UTC+02:00, not 2026-11-29 or v1.2.',
    );
    expect(utc.convertDates(text)).toBe(text);
  });

  test('entered in a field is one of the local zone, as it is shown', () => {
    const noon = parseInput('2026-11-30T12:00:30');
    expect(formatFull(noon)).toMatch(/^30 Nov 2026 12:00:30 UTC/);
    expect(parseInput('')).toBeNaN();
  });
});
