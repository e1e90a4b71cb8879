import { isUuid } from '@belfry/shared';
import type { Query } from '../../api/contract';
import { oneOfTexts, type ParamRules, readParams } from '../link-params';
import { isTime, spans } from '../log/filters';

const dayMs = 24 * 3_600_000;
export const auditSpans = [
  ...spans.filter(({ value }) => value !== '15m'),
  { value: '30d', text: 'last 30 days', ms: 30 * dayMs },
  { value: '365d', text: 'last 365 days', ms: 365 * dayMs },
];

/** The first part of an action, as the label of the filter. */
export const actions = {
  'app.': 'apps',
  'channel.': 'paused channels',
  'sending.': 'paused sending',
  'event.': 'events',
  'category.': 'categories',
  'integration.': 'integrations',
  'key.': 'API keys',
  'inbox_secret.': 'inbox secrets',
  'message.': 'messages',
  'resend.': 'resends',
  'operator.': 'operators',
  'invitation.': 'invitations',
  'session.': 'sessions',
  'suppression.': 'suppressions',
  'user.': 'users',
  'filter.': 'saved filters',
  'alert.': 'alerts',
  'webhook.': 'webhooks',
  capture: 'captures',
  'account.': 'account',
};

const isAction = (value: string) => Object.keys(actions).some((start) => value.startsWith(start));

const rules = {
  operator: {
    isValid: (value: string) => value === 'none' || isUuid(value),
    problem: 'an operator that is not an ID',
  },
  app: { isValid: isUuid, problem: 'an app that is not an ID' },
  action: { isValid: isAction, problem: 'an unknown action' },
  last: oneOfTexts(
    auditSpans.map(({ value }) => value),
    'an unknown period',
  ),
  from: { isValid: isTime, problem: 'a start time that is not a time' },
  to: { isValid: isTime, problem: 'an end time that is not a time' },
} satisfies ParamRules;

export type AuditFilters = { [Name in keyof typeof rules]?: string };

/** The valid filters of a link, and what was ignored in it. */
export function readAuditFilters(search: string): { filters: AuditFilters; ignored: string[] } {
  const { values, ignored } = readParams(search, rules);
  return { filters: values, ignored };
}

/** A period becomes its start, rounded to the minute so that all pages of the list agree. */
export function toAuditQuery(
  { last, ...rest }: AuditFilters,
  now: number,
): Query<'GET /api/audit'> {
  const span = auditSpans.find(({ value }) => value === last);
  if (!span) return rest;
  return { ...rest, from: String(Math.floor((now - span.ms) / 60_000) * 60_000) };
}
