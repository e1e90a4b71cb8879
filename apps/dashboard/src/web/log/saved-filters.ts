import type { LogFilters } from '../../api/log';
import type { SavableFilter, SavableFilters, SavedFilterAnswer } from '../../api/saved-filters';
import { useAnswer } from '../answers';
import { listFilterTerms } from '../resend/filter-terms';
import { buildPath } from '../route';
import { type PageFilters, spans, writeFilters } from './filters';

/** Filters for one person or one request are never saved. */
const savable = [
  'last',
  'from',
  'to',
  'event',
  'channel',
  'state',
  'waits',
  'reason',
  'provider',
  'integration',
] as const satisfies readonly SavableFilter[];

export const maxNameLength = 60;

/** The filters that can be saved. */
export function pickSavableFilters(filters: PageFilters): SavableFilters {
  const entries = savable.map((name) => [name, filters[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value));
}

/** The filters that stay only in the URL. */
export function listUnsavableNames(filters: PageFilters): (keyof LogFilters)[] {
  const personal = ['recipient', 'requestId', 'idempotencyKey', 'metadata'] as const;
  return personal.filter((name) => filters[name]);
}

/** The saved filter that equals the current filters, if any. */
export function findSaved(
  saved: readonly SavedFilterAnswer[],
  filters: PageFilters,
): SavedFilterAnswer | undefined {
  const filterText = serializeFilters(filters);
  return saved.find((one) => serializeFilters(one.filters) === filterText);
}

/** A canonical text of the filters, independent of their order. */
function serializeFilters(filters: PageFilters): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Describes a saved filter: `last 24 h, channel sms, state failed`. */
export function formatFilters({ last, ...others }: SavableFilters): string {
  const span = spans.find(({ value }) => value === last)?.text ?? last;
  const terms = listFilterTerms(others).map(({ name, value }) => `${name} ${value}`);
  return [span, ...terms].filter(Boolean).join(', ');
}

export type FilterEntry = {
  id: string;
  text: string;
  description: string;
  to: string;
  search: string;
};

/** The saved filters as jump targets for the palette. */
export function toFilterEntries(appId: string, saved: readonly SavedFilterAnswer[]): FilterEntry[] {
  return saved.map(({ id, name, filters }) => ({
    id,
    text: name,
    description: formatFilters(filters),
    to: buildPath(appId, 'log'),
    search: writeFilters(filters),
  }));
}

/** Saved filters of the app; none without an app. */
export function useSavedFilters(appId: string | undefined) {
  return useAnswer(
    'GET /api/apps/:appId/filters',
    { appId: appId ?? '' },
    { isEnabled: appId !== undefined },
  );
}
