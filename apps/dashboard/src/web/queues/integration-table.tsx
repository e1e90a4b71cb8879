import type { IntegrationQueue } from '../../api/queues';
import { useServices, useSession } from '../context';
import { formatMoment } from '../dates';
import { count } from '../format';
import { HealthMark } from '../integrations/health';
import { formatLastError, formatLastHour } from '../integrations/health-text';
import { Button, Link } from '../parts/controls';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './queues.module.css';

export function IntegrationTable({
  integrations,
  onChanged,
}: {
  integrations: IntegrationQueue[];
  onChanged: () => Promise<void>;
}) {
  const { api } = useServices();
  const { mayChange } = useSession();
  async function togglePause({ appId, id, state }: IntegrationQueue) {
    const action = state === 'paused' ? 'resume' : 'pause';
    await api.call(`POST /api/apps/:appId/integrations/:id/${action}`, { appId, id });
    await onChanged();
  }
  const pauseColumn: Column<IntegrationQueue> = {
    header: 'Pause or resume',
    isHeaderHidden: true,
    className: `${styles.action} right`,
    cell: (one) =>
      mayChange && (
        <Button
          look="small"
          aria-label={`${one.state === 'paused' ? 'Resume' : 'Pause'} ${one.name}`}
          onClick={() => void togglePause(one)}
        >
          {one.state === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      ),
  };
  return (
    <section>
      <h2>
        Integrations <small>messages waiting for each</small>
      </h2>
      <Table
        caption="Integrations"
        className={`wide-rows ${styles.stacked}`}
        columns={[...columns, pauseColumn]}
        rows={integrations}
        getKey={({ id }) => id}
        empty="No integrations yet."
      />
    </section>
  );
}

const columns: Column<IntegrationQueue>[] = [
  {
    header: 'Integration',
    className: 'ev',
    sortBy: ({ name }) => name,
    cell: ({ appId, id, name }) => <Link to={buildPath(appId, 'integrations', id)}>{name}</Link>,
  },
  {
    header: 'Health',
    cell: ({ health }) => (
      <>
        <HealthMark health={health} />
        {['failing', 'degraded', 'needs_attention'].includes(health.verdict) && (
          <span className={styles.sub}>{formatLastError(health, formatMoment)}</span>
        )}
      </>
    ),
  },
  {
    header: 'Attempts, last hour',
    className: `num ${styles.attempts}`,
    cell: ({ health }) => formatLastHour(health),
  },
  {
    header: 'Waiting',
    className: `num ${styles.waiting}`,
    sortBy: ({ waiting }) => waiting,
    cell: ({ waiting }) => <span className={waiting === 0 ? 'faint' : ''}>{count(waiting)}</span>,
  },
];
