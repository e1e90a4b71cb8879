import { isUuid } from '@belfry/shared';
import type { LogFilters } from '../../api/log';

export type FilterName = keyof LogFilters;
/** Filters in the URL of the page. `last` is a period that ends now; the server gets its start as `from`. */
export type PageFilters = LogFilters & { last?: string };

const names = [
  'from',
  'to',
  'event',
  'channel',
  'state',
  'waits',
  'reason',
  'provider',
  'recipient',
  'requestId',
  'idempotencyKey',
] as const satisfies readonly FilterName[];

export const spans = [
  { value: '15m', text: 'last 15 min', ms: 15 * 60_000 },
  { value: '1h', text: 'last 1 h', ms: 3_600_000 },
  { value: '24h', text: 'last 24 h', ms: 24 * 3_600_000 },
  { value: '7d', text: 'last 7 days', ms: 7 * 24 * 3_600_000 },
] as const;

export function readFilters(search: string): PageFilters {
  const params = new URLSearchParams(search);
  const filters: PageFilters = {};
  for (const name of [...names, 'last'] as const) {
    const value = params.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

export function writeFilters(filters: PageFilters): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return new URLSearchParams(entries).toString();
}

/** Query for the server. A period becomes its start time, rounded to the minute so that all pages of a list agree. */
export function toQuery(filters: PageFilters, now: number): LogFilters {
  const { last, ...rest } = filters;
  const span = spans.find(({ value }) => value === last);
  if (!span) return rest;
  const from = Math.floor((now - span.ms) / 60_000) * 60_000;
  return { ...rest, from: String(from) };
}

/** The most likely filter for a typed word. */
export function guessFilter(text: string): 'requestId' | 'recipient' | 'idempotencyKey' {
  if (isUuid(text)) return 'requestId';
  if (/^[^\s@]+@[^\s@]+$/.test(text) || /^\+?[\d\s().-]{6,}$/.test(text) || text.startsWith('#')) {
    return 'recipient';
  }
  return 'idempotencyKey';
}
