import { useState } from 'react';
import type { IntegrationQueue } from '../../api/queues';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { formatMoment } from '../dates';
import { HealthMark } from '../integrations/health';
import { formatLastError, formatLastHour, formatWaiting } from '../integrations/health-text';
import { writeFilters } from '../log/filters';
import { Button, Link } from '../parts/controls';
import { Name } from '../parts/name';
import { ProblemNote } from '../parts/notes';
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
  const [problem, setProblem] = useState<PageProblem>();
  async function togglePause({ appId, id, state }: IntegrationQueue) {
    const action = state === 'paused' ? 'resume' : 'pause';
    const answer = await api.call(`POST /api/apps/:appId/integrations/:id/${action}`, {
      appId,
      id,
    });
    setProblem('problem' in answer ? answer.problem : undefined);
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
      <ProblemNote problem={problem} />
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
    cell: ({ appId, id, name }) => (
      <Link to={buildPath(appId, 'integrations', id)}>
        <Name text={name} />
      </Link>
    ),
  },
  {
    header: 'Health',
    className: styles.health,
    cell: ({ health, stateReason }) => (
      <>
        <HealthMark health={health} />
        {['failing', 'degraded', 'needs_attention'].includes(health.verdict) && (
          <span className={styles.sub}>{stateReason ?? formatLastError(health, formatMoment)}</span>
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
    cell: (one) => <WaitingLink integration={one} />,
  },
];

/** A number of messages as a link to exactly these in the log. 0 is faint. */
function WaitingLink({ integration }: { integration: IntegrationQueue }) {
  const { appId, name } = integration;
  const text = formatWaiting(integration);
  if (!text) return <span className="faint">0</span>;
  const search = writeFilters({ state: 'queued', integration: name });
  return (
    <Link to={buildPath(appId, 'log')} search={search}>
      {text}
      <span className="vh"> waiting for {name}</span>
    </Link>
  );
}
