import {
  failureReasons,
  isUuid,
  messageStates,
  noReason,
  queueReasonNames,
  skipReasons,
} from '@belfry/shared';
import type { LogFilters } from '../../api/log';
import { anyText, oneOfTexts, type ParamRules, readParams } from '../link-params';

/** Filters in the URL of the page. `last` is a period that ends now; the server gets its start as `from`. */
export type PageFilters = LogFilters & { last?: string };

export const spans = [
  { value: '15m', text: 'last 15 min', ms: 15 * 60_000 },
  { value: '1h', text: 'last 1 h', ms: 3_600_000 },
  { value: '24h', text: 'last 24 h', ms: 24 * 3_600_000 },
  { value: '7d', text: 'last 7 days', ms: 7 * 24 * 3_600_000 },
] as const;

const latestMs = 2 ** 48 - 1;
export const isTime = (value: string) => /^\d{1,15}$/.test(value) && Number(value) <= latestMs;

/** `waiting` is queued or sending. */
export const stateNames = ['waiting', ...Object.keys(messageStates)];

export const filterRules = {
  from: { isValid: isTime, problem: 'a start time that is not a time' },
  to: { isValid: isTime, problem: 'an end time that is not a time' },
  last: oneOfTexts(
    spans.map(({ value }) => value),
    'an unknown period',
  ),
  event: anyText,
  channel: anyText,
  state: oneOfTexts(stateNames, 'an unknown state'),
  waits: oneOfTexts(queueReasonNames, 'an unknown reason for waiting'),
  reason: oneOfTexts(
    [...Object.keys(failureReasons), ...Object.keys(skipReasons), noReason],
    'an unknown failure or skip reason',
  ),
  provider: anyText,
  integration: anyText,
  recipient: anyText,
  requestId: { isValid: isUuid, problem: 'a request ID that is not an ID' },
  idempotencyKey: anyText,
  metadata: anyText,
  /** Opens the dialog to resend. */
  do: oneOfTexts(['resend'], 'an unknown action'),
} satisfies ParamRules;

/** The valid filters of a link, and what was ignored in it. */
export function readFilterParams(search: string): { filters: PageFilters; ignored: string[] } {
  const { values, ignored } = readParams(search, filterRules);
  const { do: _, ...filters } = values;
  return { filters, ignored };
}

export function readFilters(search: string): PageFilters {
  return readFilterParams(search).filters;
}

export function writeFilters(filters: PageFilters): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return new URLSearchParams(entries).toString();
}

/** Query for the server. A period becomes its start time. */
export function toQuery(filters: PageFilters, now: number): LogFilters {
  const { last, ...rest } = filters;
  const from = toPeriodStart(last, now);
  return from === undefined ? rest : { ...rest, from: String(from) };
}

/** Rounded to the minute, so that all pages of a list agree. */
export function toPeriodStart(last: string | undefined, now: number): number | undefined {
  const span = spans.find(({ value }) => value === last);
  return span && Math.floor((now - span.ms) / 60_000) * 60_000;
}
