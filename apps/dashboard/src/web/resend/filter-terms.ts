import type { LogFilters } from '../../api/log';
import { formatFull } from '../dates';
import { isTime, type PageFilters, spans } from '../log/filters';
import { getWaitLabel } from '../log/waits';

const filterLabels: Partial<Record<keyof PageFilters, string>> = {
  requestId: 'request',
  idempotencyKey: 'idempotency key',
  waits: 'waiting',
  last: 'time',
};

export type FilterTerm = { name: string; value: string };

/** One filter in words. */
export function formatFilterTerm(name: string, value: string): FilterTerm {
  return {
    name: filterLabels[name as keyof PageFilters] ?? name,
    value: formatFilterValue(name, value),
  };
}

function formatFilterValue(name: string, value: string): string {
  switch (name) {
    case 'from':
    case 'to':
      return isTime(value) ? formatFull(Number(value)) : value;
    case 'waits':
      return getWaitLabel(value);
    case 'last':
      return spans.find((span) => span.value === value)?.text ?? value;
    default:
      return value;
  }
}

/** A filter as named terms, times last. */
export function listFilterTerms({ from, to, ...others }: LogFilters): FilterTerm[] {
  const ordered = Object.entries({ ...others, from, to });
  return ordered.flatMap(([name, value]) =>
    value === undefined ? [] : [formatFilterTerm(name, value)],
  );
}
