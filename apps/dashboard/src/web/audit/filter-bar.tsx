import { useNavigate } from 'react-router';
import { useAnswer } from '../answers';
import { useSession } from '../context';
import { Button } from '../parts/controls';
import { SelectChip } from '../parts/select-chip';
import { type AuditFilters, actions, auditSpans } from './filters';

/** The filters are part of the URL. */
export function AuditFilterBar({ filters }: { filters: AuditFilters }) {
  const navigate = useNavigate();
  const { apps } = useSession();
  const people = useAnswer('GET /api/people').value?.people ?? [];
  const set = (change: AuditFilters) => {
    const entries = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    void navigate({ search: new URLSearchParams(entries).toString() });
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
        <Button look="small bare" onClick={() => navigate({ search: '' })}>
          Clear all
        </Button>
      )}
    </search>
  );
}
