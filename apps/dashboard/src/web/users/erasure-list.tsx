import type { ErasureRow } from '../../api/users';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { count, moment } from '../format';
import { AwayBar, Waiting } from '../parts/notes';
import { Mark } from '../parts/state-mark';

const readEveryMs = 10_000;

export function ErasureList() {
  const app = useApp();
  const list = useAnswer(
    'GET /api/apps/:appId/erasures',
    { appId: app.id },
    { everyMs: readEveryMs },
  );
  const rows = list.value?.erasures ?? [];
  return (
    <section className="pane" aria-label="Erased">
      <AwayBar loaded={list} reload={list.reload} />
      {!list.value && <Waiting loaded={list} reload={list.reload} what="erasures" />}
      {list.value && rows.length === 0 && <p className="nothing">No users were erased yet.</p>}
      {rows.length > 0 && <ErasureTable rows={rows} />}
    </section>
  );
}

function ErasureTable({ rows }: { rows: ErasureRow[] }) {
  const now = Date.now();
  return (
    <table className="wide-rows">
      <thead>
        <tr>
          <th className="c-when">Erased</th>
          <th>user_sid</th>
          <th className="opt">By</th>
          <th className="num c-count">Messages</th>
          <th className="c-progress">State</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td className="num-left">{moment(row.at, now)}</td>
            <td className="ev" title={row.userSid}>
              {row.userSid}
            </td>
            <td className="opt">{row.erasedBy}</td>
            <td className={row.messages === 0 ? 'num faint' : 'num'}>{count(row.messages)}</td>
            <td>
              <Progress row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Progress({ row }: { row: ErasureRow }) {
  if (row.finishedAt === null) {
    return (
      <span
        className="state"
        title="Messages in flight at that time are erased in a second pass some minutes later"
      >
        <Mark name="sending" />
        erased; second pass pending
      </span>
    );
  }
  return (
    <span className="state">
      <Mark name="delivered" />
      completed at {moment(row.finishedAt, Date.now())}
    </span>
  );
}
