import type { ResendRun } from '../../api/resends';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { count, moment } from '../format';
import { Link } from '../parts/controls';
import { Divider } from '../parts/divider';
import { AwayBar, Waiting } from '../parts/notes';
import { listFilterTerms } from '../resend/filter-terms';
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
    <div className="split int resends">
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
  return (
    <table className="wide-rows">
      <thead>
        <tr>
          <th className="c-when">Confirmed</th>
          <th>Filter</th>
          <th className="num c-sum">Resent</th>
          <th className="c-run">State</th>
          <th className="opt">By</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} isOpen={run.id === openId} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ run, isOpen }: { run: ResendRun; isOpen: boolean }) {
  const app = useApp();
  const filterText = listFilterTerms(run.filters)
    .map(({ name, value }) => `${name} ${value}`)
    .join(', ');
  return (
    <tr aria-current={isOpen ? 'true' : undefined}>
      <td className="num-left">{moment(run.createdAt, Date.now())}</td>
      <td className="cut" title={filterText}>
        <Link to={buildPath(app.id, 'resends', run.id)}>{filterText}</Link>
      </td>
      <td className="num">
        {count(run.resent)} of {count(run.matched)}
      </td>
      <td>
        <RunState run={run} />
      </td>
      <td className="opt cut">{run.createdBy}</td>
    </tr>
  );
}
