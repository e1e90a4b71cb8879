import { Type } from '@sinclair/typebox';
import { limits } from './limits';

/** Send time: epoch milliseconds as a number or digits, or ISO 8601. `x-schedule` makes the validator parse it. */
export const wireSchedule = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  maxLength: limits.scheduleCharacters,
  'x-schedule': true,
  description:
    'When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or a past time means now. At most 366 days ahead.',
});

export type Schedule = { at: Date } | { now: true } | { problem: string };

const dayMs = 24 * 60 * 60 * 1000;
const maxDaysAhead = 366;

/** Parses a `schedule_at`; null, an empty string, 0 and the past mean now. */
export function readSchedule(value: unknown, now: Date): Schedule {
  if (value === undefined || value === null) return { now: true };
  const atMs = parseEpochMs(value);
  if (atMs === undefined || Number.isNaN(atMs)) {
    return { problem: 'must be epoch milliseconds or an ISO 8601 time' };
  }
  if (atMs <= now.getTime()) return { now: true };
  if (atMs > now.getTime() + maxDaysAhead * dayMs) {
    return { problem: `must be at most ${maxDaysAhead} days ahead` };
  }
  return { at: new Date(atMs) };
}

function parseEpochMs(value: unknown): number | undefined {
  if (typeof value === 'number') return parseEpoch(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '') return 0;
  if (/^-?\d+(\.\d+)?$/.test(text)) return parseEpoch(Number(text));
  return parseIso(text);
}

const largestSeconds = 1e11;
const largestMilliseconds = 1e14;

function parseEpoch(value: number): number {
  if (value < largestSeconds) return value * 1000;
  if (value > largestMilliseconds) return Math.floor(value / 1000);
  return value;
}

const isoTime =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** Milliseconds of an ISO 8601 date or time, in UTC if it names no zone. */
export function parseIso(text: string): number | undefined {
  const match = isoTime.exec(text);
  if (!match) return undefined;
  const [, date, minutes = '00:00', seconds = ':00', fraction = '0', zone = 'Z'] = match;
  const atMs = Date.parse(
    `${date}T${minutes}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${normalizeZone(zone)}`,
  );
  // Date.parse reads 30 February as 1 March.
  return date !== undefined && isCalendarDate(date) ? atMs : undefined;
}

function normalizeZone(zone: string): string {
  if (/^z$/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

function isCalendarDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
