import type { ResendRun } from '../../api/resends';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { count } from '../format';
import { Link } from '../parts/controls';
import { Divider } from '../parts/divider';
import { Moment } from '../parts/moment';
import { AwayBar, Waiting } from '../parts/notes';
import { type Column, Table } from '../parts/table';
import { listFilterTerms } from '../resend/filter-terms';
import styles from '../resend/resend.module.css';
import { RunPane } from '../resend/run-pane';
import { RunState } from '../resend/run-state';
import { buildPath } from '../route';

const readEveryMs = 5_000;
const runPx = 560;

/** The bulk resends of the app. */
export function ResendsPage({ openId }: { openId: string | undefined }) {
  const app = useApp();
  const list = useAnswer(
    'GET /api/apps/:appId/resends',
    { appId: app.id },
    { everyMs: readEveryMs },
  );
  const runs = list.value?.runs ?? [];
  return (
    <div className={`split int ${styles.resends}`}>
      <div>
        <AwayBar loaded={list} reload={list.reload} />
      </div>
      <div className={openId ? 'body open' : 'body'}>
        <section className="pane" aria-label="Resends">
          {!list.value && <Waiting loaded={list} reload={list.reload} what="resends" />}
          {list.value && runs.length === 0 && <NoResend />}
          {runs.length > 0 && <RunTable runs={runs} openId={openId} />}
        </section>
        {openId && <RunPane key={openId} resendId={openId} onChanged={() => void list.reload()} />}
        {openId && <Divider name="resends" side="last" initialPx={runPx} />}
      </div>
    </div>
  );
}

function NoResend() {
  const app = useApp();
  return (
    <div className="empty">
      <h2>No resends yet</h2>
      <p>
        After a provider outage, filter the log by channel, state and time, and resend all matching
        messages. You confirm the count first, choose the rate, and can cancel at any time.
      </p>
      <p>
        <Link className="btn main-action" to={buildPath(app.id, 'log')} search="state=failed">
          Show failed requests
        </Link>
      </p>
    </div>
  );
}

function RunTable({ runs, openId }: { runs: ResendRun[]; openId: string | undefined }) {
  const app = useApp();
  const columns: Column<ResendRun>[] = [
    {
      header: 'Confirmed',
      className: `c-when num-left ${styles.time}`,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
    {
      header: 'Filter',
      className: 'cut',
      title: formatFilters,
      cell: (run) => <Link to={buildPath(app.id, 'resends', run.id)}>{formatFilters(run)}</Link>,
    },
    {
      header: 'Resent',
      className: `num ${styles.count}`,
      cell: ({ resent, matched }) => `${count(resent)} of ${count(matched)}`,
    },
    { header: 'State', className: styles.state, cell: (run) => <RunState run={run} /> },
    { header: 'By', className: 'opt cut', cell: ({ createdBy }) => createdBy },
  ];
  return (
    <Table
      caption="Resends"
      columns={columns}
      rows={runs}
      getKey={({ id }) => id}
      currentKey={openId}
    />
  );
}

function formatFilters({ filters }: ResendRun): string {
  return listFilterTerms(filters)
    .map(({ name, value }) => `${name} ${value}`)
    .join(', ');
}
