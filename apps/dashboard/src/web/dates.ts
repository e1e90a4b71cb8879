import { useSyncExternalStore } from 'react';

/** Every date of the page is in one zone: that of the browser, or UTC. */
export const zones = ['local', 'utc'] as const;
export type Zone = (typeof zones)[number];

const key = 'belfry-zone';
const changed = 'belfry:zone';
const datesByZone = { local: createDates(undefined), utc: createDates('UTC') };
let zone: Zone = 'local';

/** Reads the stored zone; called before the first render. */
export function restoreZone(): void {
  if (localStorage.getItem(key) === 'utc') zone = 'utc';
}

export function setZone(next: Zone): void {
  zone = next;
  localStorage.setItem(key, next);
  document.dispatchEvent(new Event(changed));
}

/** The zone of the page. A switch renders the component again, with everything in it. */
export function useZone(): Zone {
  return useSyncExternalStore(subscribe, () => zone);
}

function subscribe(listener: () => void): () => void {
  document.addEventListener(changed, listener);
  return () => document.removeEventListener(changed, listener);
}

/** `UTC`, or `local time, UTC+01:00`. */
export function describeZone(described = zone): string {
  const name = datesByZone[described].formatZone(Date.now());
  return described === 'utc' ? name : `local time, ${name}`;
}

export const formatTime = (ms: number) => datesByZone[zone].formatTime(ms);
export const formatMillis = (ms: number) => datesByZone[zone].formatMillis(ms);
export const formatMinute = (ms: number, now = Date.now()) =>
  datesByZone[zone].formatMinute(ms, now);
export const formatMoment = (ms: number, now = Date.now()) =>
  datesByZone[zone].formatMoment(ms, now);
export const formatFull = (ms: number) => datesByZone[zone].formatFull(ms);
export const convertDates = (text: string) => datesByZone[zone].convertDates(text);

/** The time in a field of type `datetime-local`; NaN if the field is empty. */
export function parseInput(text: string): number {
  return Date.parse(zone === 'utc' ? `${text}Z` : text);
}

type PartName = 'day' | 'month' | 'year' | 'hour' | 'minute' | 'second' | 'fractionalSecond';
type Parts = Record<PartName | 'timeZoneName', string>;

/** Formats times in a zone; without a name, in that of the browser. */
export function createDates(timeZone: string | undefined) {
  const format = createFormat(timeZone);

  function read(ms: number): Parts {
    const parts = format.formatToParts(ms).map(({ type, value }) => [type, value]);
    // Safe cast: the format has each of these parts.
    return Object.fromEntries(parts) as Parts;
  }

  /** `29 Nov `, with the year if it is another one; nothing today. */
  function formatDate(ms: number, now: number): string {
    const [at, today] = [read(ms), read(now)];
    if (at.year !== today.year) return `${at.day} ${at.month} ${at.year} `;
    return at.day === today.day && at.month === today.month ? '' : `${at.day} ${at.month} `;
  }

  function formatTime(ms: number): string {
    const { hour, minute, second } = read(ms);
    return `${hour}:${minute}:${second}`;
  }

  const formatZone = (ms: number) => read(ms).timeZoneName.replace(/^GMT(\+00:00)?/, 'UTC');

  return {
    /** `12:04:31` */
    formatTime,

    /** `.005` */
    formatMillis: (ms: number) => `.${read(ms).fractionalSecond}`,

    /** For axes: `12:04`, or `29 Nov 12:04` if it is another day. */
    formatMinute: (ms: number, now: number) => formatDate(ms, now) + formatTime(ms).slice(0, 5),

    /** For rows: `12:04:31`, `29 Nov 12:04:31` if it is another day, or `29 Nov 2025 12:04`. */
    formatMoment(ms: number, now: number): string {
      const isOtherYear = read(ms).year !== read(now).year;
      return formatDate(ms, now) + formatTime(ms).slice(0, isOtherYear ? 5 : 8);
    },

    /** For details and tooltips: `29 Nov 2026 12:04:31 UTC+01:00`. */
    formatFull(ms: number): string {
      const { day, month, year } = read(ms);
      return `${day} ${month} ${year} ${formatTime(ms)} ${formatZone(ms)}`;
    },

    /** `UTC`, `UTC+05:30` */
    formatZone,

    convertDates: (text: string) => convertUtc(text, formatZone),
  };
}

function createFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    ...(timeZone && { timeZone }),
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
}

const utcTime = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z| UTC)/g;

/** Moves times such as `2026-11-30T11:04:31.005Z` and `2026-11-30 11:04 UTC` from UTC to another zone. */
function convertUtc(text: string, formatZone: (ms: number) => string): string {
  return text.replace(utcTime, (written: string, day: string, time: string) => {
    const ms = Date.parse(`${day}T${time}Z`);
    const zoneName = formatZone(ms);
    const offset = zoneName.slice('UTC'.length) || 'Z';
    const moved = new Date(ms - Date.parse(`1970-01-01T00:00${offset}`)).toISOString();
    if (written.endsWith('Z')) return moved.replace('Z', offset);
    return `${moved.slice(0, 16).replace('T', ' ')} ${zoneName}`;
  });
}
