import type { ErasureRow } from '../../api/users';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { count } from '../format';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import styles from './users.module.css';

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
      {rows.length > 0 && (
        <Table
          caption="Erased users"
          className={`wide-rows ${stacked.rows}`}
          columns={columns}
          rows={rows}
          getKey={({ id }) => id}
        />
      )}
    </section>
  );
}

const columns: Column<ErasureRow>[] = [
  { header: 'Erased', className: 'c-when num-left', cell: ({ at }) => <Moment at={at} /> },
  {
    header: 'user_sid',
    className: `ev ${stacked.line}`,
    title: ({ userSid }) => userSid,
    cell: ({ userSid }) => userSid,
  },
  {
    header: 'By',
    className: 'opt',
    cell: ({ erasedBy }) =>
      erasedBy && (
        <span data-label="by">
          <Name text={erasedBy} />
        </span>
      ),
  },
  {
    header: 'Messages',
    className: `num ${styles.count}`,
    cell: ({ messages }) => (
      <span data-label="messages" className={messages === 0 ? 'faint' : ''}>
        {count(messages)}
      </span>
    ),
  },
  { header: 'State', className: styles.progress, cell: (row) => <Progress row={row} /> },
];

function Progress({ row }: { row: ErasureRow }) {
  if (row.finishedAt === null) {
    return (
      <span
        className="state"
        title="Messages in flight at that time are erased in a second pass, at least 2 minutes later"
      >
        <Mark name="sending" />
        erased; second pass pending
      </span>
    );
  }
  return (
    <span className="state">
      <Mark name="delivered" />
      completed at <Moment at={row.finishedAt} />
    </span>
  );
}
