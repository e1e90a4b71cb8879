import { type AlertKind, alertKindNames, appSettings, getAlertKind, getOwn } from '@belfry/shared';
import { formatFieldName } from '../../api/field-problem';
import { count, duration } from '../format';
import { formatFilterTerm } from '../resend/filter-terms';

type Field = { label: string; format?: (value: unknown) => string | undefined };

/** The kind of an alert rule in words. Other things have a field `kind` too. */
export function formatKind(kind: unknown): string | undefined {
  const isAlert = alertKindNames.includes(kind as AlertKind);
  return isAlert ? getAlertKind(kind as AlertKind).label : formatValue(kind);
}

/** Names of fields that are not words, and values that are not texts. */
const fields: Record<string, Field> = {
  after_ms: {
    label: 'Ends',
    format: (ms) => (ms === 0 ? 'at once' : `after ${duration(Number(ms))}`),
  },
  entered_credentials: {
    label: 'Entered credentials',
    format: (names) => [names].flat().map(formatName).join(', '),
  },
  integrationId: { label: 'Integration' },
  kind: { label: 'Kind', format: formatKind },
  limitBytes: { label: 'Storage limit', format: formatLimit },
  message: { label: 'New message' },
  recipients: { label: 'Recipients', format: formatNumber },
  fallbackRecipients: { label: 'Fallback recipients', format: formatNumber },
  perSecond: { label: 'Messages per second' },
  rolledBackTo: { label: 'Rolled back to version' },
  ...Object.fromEntries(
    Object.entries(appSettings).map(([name, { title }]) => [name, { label: title }]),
  ),
};

/** A changed field in words: `settings.from.name` is "From name". */
export function formatField(
  path: string,
  value: unknown,
): { label: string; text: string | undefined } {
  const [, filter] = /^filters?\.(.+)$/.exec(path) ?? [];
  if (filter !== undefined) {
    const { name, value: text } = formatFilterTerm(filter, String(value ?? ''));
    return { label: `Filter ${name}`, text: text || undefined };
  }
  const { label = formatFieldName(path), format = formatValue } = getOwn(fields, path) ?? {};
  return { label, text: value === undefined ? undefined : format(value) };
}

function formatName(name: unknown): string {
  return String(name).replaceAll('_', ' ');
}

/** Undefined if there is no value. */
function formatValue(value: unknown): string | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.map((one) => formatValue(one) ?? '').join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** None is no value: a rule without recipients notifies nobody. */
function formatNumber(size: unknown): string | undefined {
  return size === 0 ? undefined : formatValue(size);
}

function formatLimit(limitBytes: unknown): string {
  if (limitBytes === null) return 'default';
  return limitBytes === 0 ? 'no limit' : `${count(Number(limitBytes) / 1_000_000)} MB`;
}
