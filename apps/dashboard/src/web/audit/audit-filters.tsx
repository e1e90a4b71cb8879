import type { Query } from '../../api/contract';
import { useAnswer } from '../answers';
import { useServices, useSession } from '../context';
import { spans } from '../log/filters';
import { Button } from '../parts/controls';
import { SelectChip } from '../parts/select-chip';
import { usePageLocation } from '../route';

const names = ['operator', 'app', 'action', 'last', 'from', 'to'] as const;
export type AuditFilters = Partial<Record<(typeof names)[number], string>>;

export function readAuditFilters(search: string): AuditFilters {
  const params = new URLSearchParams(search);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = params.get(name);
      return value ? [[name, value]] : [];
    }),
  );
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

const dayMs = 24 * 3_600_000;
const auditSpans = [
  ...spans.filter(({ value }) => value !== '15m'),
  { value: '30d', text: 'last 30 days', ms: 30 * dayMs },
  { value: '365d', text: 'last 365 days', ms: 365 * dayMs },
];

/** The first part of an action, as the label of the filter. */
const actions = {
  'app.': 'apps',
  'channel.': 'paused channels',
  'sending.': 'paused sending',
  'event.': 'events',
  'integration.': 'integrations',
  'key.': 'API keys',
  'message.': 'messages',
  'resend.': 'resends',
  'operator.': 'operators',
  'invitation.': 'invitations',
  'session.': 'sessions',
  'suppression.': 'suppressions',
  'user.': 'users',
  'filter.': 'saved filters',
  capture: 'captures',
  'account.': 'account',
};

/** The filters are part of the URL. */
export function AuditFilterBar({ filters }: { filters: AuditFilters }) {
  const { navigation } = useServices();
  const { path } = usePageLocation();
  const { apps } = useSession();
  const people = useAnswer('GET /api/people').value?.people ?? [];
  const set = (change: AuditFilters) => {
    const entries = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    navigation.go(path, { search: new URLSearchParams(entries).toString() });
  };
  return (
    <search className="bar filters" aria-label="Filter the audit log">
      <SelectChip
        name="time"
        value={filters.last}
        options={auditSpans}
        onChange={(last) => set({ last, from: '', to: '' })}
      />
      <SelectChip
        name="operator"
        value={filters.operator}
        options={[
          ...people.map(({ id, email }) => ({ value: id, text: email })),
          { value: 'none', text: 'the command line' },
        ]}
        onChange={(operator) => set({ operator })}
      />
      <SelectChip
        name="app"
        value={filters.app}
        options={apps.map(({ id, name }) => ({ value: id, text: name }))}
        onChange={(app) => set({ app })}
      />
      <SelectChip
        name="action"
        value={filters.action}
        options={Object.entries(actions).map(([value, text]) => ({ value, text }))}
        onChange={(action) => set({ action })}
      />
      {Object.keys(filters).length > 0 && (
        <Button look="small bare" onClick={() => navigation.go(path)}>
          Clear all
        </Button>
      )}
    </search>
  );
}
