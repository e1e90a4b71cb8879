import type { LogFilters } from '../../api/log';
import { formatFull } from '../dates';
import { getWaitLabel } from '../log/waits';

const filterLabels: Partial<Record<keyof LogFilters, string>> = {
  requestId: 'request',
  idempotencyKey: 'idempotency key',
  waits: 'waiting',
};

/** A filter as named terms. */
export function listFilterTerms(filters: LogFilters): { name: string; value: string }[] {
  const { from, to, ...others } = filters;
  const times = [
    ...(from === undefined ? [] : [{ name: 'from', value: formatFull(Number(from)) }]),
    ...(to === undefined ? [] : [{ name: 'to', value: formatFull(Number(to)) }]),
  ];
  const terms = Object.entries(others).map(([name, value]) => ({
    name: filterLabels[name as keyof LogFilters] ?? name,
    value: name === 'waits' ? getWaitLabel(value) : value,
  }));
  return [...terms, ...times];
}
