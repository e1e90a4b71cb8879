import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { UserRow } from '../../api/users';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { useKeys } from '../keyboard';
import { Button, Link } from '../parts/controls';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, ProblemNote, Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './users.module.css';

/** Users sorted by id; the search matches the start of an id or address. */
export function UserList({
  text,
  openId,
  search,
}: {
  text: string;
  openId: string | undefined;
  search: string;
}) {
  const app = useApp();
  const { api } = useServices();
  const first = useAnswer('GET /api/apps/:appId/users', {
    appId: app.id,
    query: text ? { text } : {},
  });
  const [more, setMore] = useState<{ rows: UserRow[]; next: string | null }>();
  const [problem, setProblem] = useState<PageProblem>();
  const next = more ? more.next : (first.value?.next ?? null);
  async function readMore() {
    if (next === null) return;
    const answer = await api.call('GET /api/apps/:appId/users', {
      appId: app.id,
      query: { after: next },
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('problem' in answer) return;
    setMore({ rows: [...(more?.rows ?? []), ...answer.value.users], next: answer.value.next });
  }
  const rows = [...(first.value?.users ?? []), ...(more?.rows ?? [])];
  useRowKeys(rows, { openId, search });
  return (
    <section className="pane" aria-label="Users">
      <AwayBar loaded={first} reload={first.reload} />
      {!first.value && <Waiting loaded={first} reload={first.reload} what="users" />}
      {first.value && rows.length > 0 && (
        <UserTable rows={rows} isSearching={text !== ''} openId={openId} search={search} />
      )}
      {first.value && rows.length === 0 && <NoUser text={text} />}
      {first.value?.isPartial && (
        <p className="nothing">
          More than 50 users match. Enter more characters to narrow the list.
        </p>
      )}
      <ProblemNote problem={problem} />
      {next !== null && (
        <div className="more">
          <Button look="small" onClick={() => void readMore()}>
            Show more users
          </Button>
        </div>
      )}
    </section>
  );
}

/** Keys for the next and previous row, as in the log. */
function useRowKeys(
  rows: readonly UserRow[],
  { openId, search }: { openId: string | undefined; search: string },
) {
  const app = useApp();
  const navigate = useNavigate();
  const step = (by: number) => () => {
    const at = rows.findIndex(({ sid }) => sid === openId);
    const row = rows[at < 0 ? 0 : at + by];
    if (row) void navigate({ pathname: buildPath(app.id, 'users', row.sid), search });
  };
  useKeys({ j: step(1), ArrowDown: step(1), k: step(-1), ArrowUp: step(-1) });
}

function UserTable({
  rows,
  isSearching,
  openId,
  search,
}: {
  rows: UserRow[];
  isSearching: boolean;
  openId: string | undefined;
  search: string;
}) {
  const app = useApp();
  const columns: Column<UserRow>[] = [
    {
      header: 'User ID',
      className: `ev ${styles.whole}`,
      cell: ({ sid, userId }) => (
        <Link to={buildPath(app.id, 'users', sid)} search={search}>
          <Name text={userId} />
        </Link>
      ),
    },
    {
      header: 'E-mail',
      className: styles.whole,
      cell: ({ email }) => email && <Name text={email} />,
    },
    { header: 'Number', className: styles.number, cell: ({ mobile }) => mobile },
    ...(isSearching ? [matchedColumn] : []),
    {
      header: 'Updated',
      className: 'num c-when opt',
      cell: ({ updatedAt }) => (
        <span data-label="updated">
          <Moment at={updatedAt} />
        </span>
      ),
    },
  ];
  return (
    <Table
      caption="Users"
      className={`linked ${stacked.rows}`}
      columns={columns}
      rows={rows}
      getKey={({ sid }) => sid}
      currentKey={openId}
    />
  );
}

const matchedColumn: Column<UserRow> = {
  header: 'Matched by',
  className: `${styles.match} faint`,
  cell: ({ matched }) => <span data-label="matched by">{matched}</span>,
};

function NoUser({ text }: { text: string }) {
  if (text) {
    return (
      <p className="nothing">
        No stored user has an ID, address or device that starts with <b>{text}</b>. Recipients that
        are only named in calls are in the log.
      </p>
    );
  }
  return (
    <div className="empty">
      <h2>No users yet</h2>
      <p>
        A backend stores users with <code>POST /v1/apps/…/users</code>: their addresses, preferences
        and devices. A call can then contain the <code>user_id</code> alone. Calls that contain the
        addresses need no stored users.
      </p>
    </div>
  );
}
