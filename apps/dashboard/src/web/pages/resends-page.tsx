import { useNavigate } from 'react-router';
import type { ResendRun } from '../../api/resends';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { count } from '../format';
import { useKeys } from '../keyboard';
import { Link } from '../parts/controls';
import { Divider } from '../parts/divider';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, Waiting } from '../parts/notes';
import { useReturnToRow } from '../parts/pane';
import stacked from '../parts/stacked-rows.module.css';
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
  const navigate = useNavigate();
  const returnToRow = useReturnToRow(openId);
  const list = useAnswer(
    'GET /api/apps/:appId/resends',
    { appId: app.id },
    { everyMs: readEveryMs },
  );
  const runs = list.value?.runs ?? [];
  function close() {
    if (!openId) return;
    returnToRow(openId);
    void navigate(buildPath(app.id, 'resends'));
  }
  useKeys({ Escape: close });
  return (
    <div className={`split list-detail ${styles.resends}`}>
      <div>
        <AwayBar loaded={list} reload={list.reload} />
      </div>
      <div className={openId ? 'body open' : 'body'}>
        <section className="pane" aria-label="Resends">
          {!list.value && <Waiting loaded={list} reload={list.reload} what="resends" />}
          {list.value && runs.length === 0 && <NoResend />}
          {runs.length > 0 && <RunTable runs={runs} openId={openId} />}
        </section>
        {openId && (
          <RunPane
            key={openId}
            resendId={openId}
            onChanged={() => void list.reload()}
            onClose={close}
          />
        )}
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
      className: stacked.line,
      title: formatFilters,
      cell: (run) => (
        <Link to={buildPath(app.id, 'resends', run.id)}>
          <Name text={formatFilters(run)} />
        </Link>
      ),
    },
    {
      header: 'Resent',
      className: `num ${styles.count}`,
      cell: ({ resent, matched }) => (
        <span data-label="Resent">
          {count(resent)} of {count(matched)}
        </span>
      ),
    },
    { header: 'State', className: styles.state, cell: (run) => <RunState run={run} /> },
    { header: 'By', className: `opt ${styles.by}`, cell: ({ createdBy }) => createdBy },
  ];
  return (
    <Table
      caption="Resends"
      className={`wide-rows ${stacked.rows}`}
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
