import type { LogFilters } from '../../api/log';
import type { SavableFilter, SavableFilters, SavedFilterAnswer } from '../../api/saved-filters';
import { useAnswer } from '../context';
import { clock, day } from '../format';
import { buildPath } from '../route';
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
export function pickSavableFilters(filters: PageFilters): SavableFilters {
  const entries = savable.map((name) => [name, filters[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value));
}

/** Those that stay in the address alone. */
export function listUnsavableNames(filters: PageFilters): (keyof LogFilters)[] {
  const personal = ['recipient', 'requestId', 'idempotencyKey'] as const;
  return personal.filter((name) => filters[name]);
}

/** The saved filter that the page is filtered by, if it is one. */
export function findSaved(
  saved: readonly SavedFilterAnswer[],
  filters: PageFilters,
): SavedFilterAnswer | undefined {
  const filterText = serializeFilters(filters);
  return saved.find((one) => serializeFilters(one.filters) === filterText);
}

/** The same filters have the same text, whatever order they stand in. */
function serializeFilters(filters: PageFilters): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `last 24 h, sms, failed`: what a saved filter asks for. */
export function formatFilters({ last, from, to, ...rest }: SavableFilters): string {
  const formatTime = (ms: string) => `${day(Number(ms))} ${clock(Number(ms))}`;
  const span = spans.find(({ value }) => value === last)?.text ?? last;
  const time = [span, from && `from ${formatTime(from)}`, to && `to ${formatTime(to)}`];
  return [...time, rest.event, rest.channel, rest.provider, rest.state].filter(Boolean).join(', ');
}

export type FilterEntry = { id: string; text: string; words: string; to: string; search: string };

/** The saved filters as places to go to, for lists such as the palette. */
export function toFilterEntries(appId: string, saved: readonly SavedFilterAnswer[]): FilterEntry[] {
  return saved.map(({ id, name, filters }) => ({
    id,
    text: name,
    words: formatFilters(filters),
    to: buildPath(appId, 'log'),
    search: writeFilters(filters),
  }));
}

/** Of an app; nothing where there is none. */
export function useSavedFilters(appId: string | undefined) {
  return useAnswer(`saved filters ${appId ?? 'none'}`, async (api) =>
    appId ? api.listSavedFilters(appId) : { value: { filters: [], max: 0 } },
  );
}
