import type { ResendRun } from '../../api/resends';
import { count } from '../format';

export type RunFacts = Pick<
  ResendRun,
  'state' | 'result' | 'now' | 'matched' | 'skipped' | 'cancelled'
>;

/** Counts of messages that did not arrive or are in progress. */
export function formatOutcome({ now, skipped, cancelled, matched, state }: RunFacts): string {
  if (state !== 'finished' && state !== 'cancelled') return '';
  const parts = [
    now && now.notDelivered > 0 && `${count(now.notDelivered)} of ${count(matched)} not delivered`,
    now && now.open > 0 && `${count(now.open)} in progress`,
    skipped > 0 && `${count(skipped)} not resent`,
    cancelled > 0 && `${count(cancelled)} not started`,
  ];
  return parts.filter(Boolean).join(', ');
}
