import type { LogFilters } from '../../api/log';
import { clock, day } from '../format';

const wordOf: Partial<Record<keyof LogFilters, string>> = {
  requestId: 'request',
  idempotencyKey: 'idempotency key',
};

/** A filter as words, each with what it is about. */
export function filterWords(filters: LogFilters): { name: string; value: string }[] {
  const { from, to, ...others } = filters;
  const times = [
    ...(from === undefined ? [] : [{ name: 'from', value: momentOf(from) }]),
    ...(to === undefined ? [] : [{ name: 'before', value: momentOf(to) }]),
  ];
  const named = Object.entries(others).map(([name, value]) => ({
    name: wordOf[name as keyof LogFilters] ?? name,
    value,
  }));
  return [...named, ...times];
}

function momentOf(ms: string): string {
  return `${day(Number(ms))} ${clock(Number(ms))}`;
}
