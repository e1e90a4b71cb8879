import type { LogFilters } from '../../api/log';
import type { SavableFilter, SavableFilters, SavedFilterAnswer } from '../../api/saved-filters';
import { useAnswer } from '../context';
import { clock, day } from '../format';
import { pathOf } from '../route';
import { type PageFilters, spans, writeFilters } from './filters';

/** A filter that names one person or one request is looked up, and never kept for everybody. */
const savable = [
  'last',
  'from',
  'to',
  'event',
  'channel',
  'state',
  'provider',
] as const satisfies readonly SavableFilter[];

export const maxNameLength = 60;

/** The part of the filters that may be saved. */
export function savableOf(filters: PageFilters): SavableFilters {
  const given = savable.map((name) => [name, filters[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value));
}

/** Those that stay in the address alone. */
export function unsavableOf(filters: PageFilters): (keyof LogFilters)[] {
  const personal = ['recipient', 'requestId', 'idempotencyKey'] as const;
  return personal.filter((name) => filters[name]);
}

/** The saved filter that the page is filtered by, if it is one. */
export function findSaved(
  saved: readonly SavedFilterAnswer[],
  filters: PageFilters,
): SavedFilterAnswer | undefined {
  const asked = inOrder(filters);
  return saved.find((one) => inOrder(one.filters) === asked);
}

/** The same filters have the same text, whatever order they stand in. */
function inOrder(filters: PageFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `last 24 h, sms, failed`: what a saved filter asks for. */
export function wordsOfFilters({ last, from, to, ...rest }: SavableFilters): string {
  const at = (ms: string) => `${day(Number(ms))} ${clock(Number(ms))}`;
  const span = spans.find(({ value }) => value === last)?.text ?? last;
  const time = [span, from && `from ${at(from)}`, to && `to ${at(to)}`];
  return [...time, rest.event, rest.channel, rest.provider, rest.state].filter(Boolean).join(', ');
}

export type FilterEntry = { id: string; text: string; words: string; to: string; search: string };

/** The saved filters as places to go to, for lists such as the palette. */
export function savedFilterEntries(
  appId: string,
  saved: readonly SavedFilterAnswer[],
): FilterEntry[] {
  return saved.map(({ id, name, filters }) => ({
    id,
    text: name,
    words: wordsOfFilters(filters),
    to: pathOf(appId, 'log'),
    search: writeFilters(filters),
  }));
}

/** Of an app; nothing where there is none. */
export function useSavedFilters(appId: string | undefined) {
  return useAnswer(`saved filters ${appId ?? 'none'}`, async (api) =>
    appId ? api.listSavedFilters(appId) : { value: { filters: [], max: 0 } },
  );
}
