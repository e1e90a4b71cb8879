import { lazy, Suspense, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { LogRow } from '../../api/log';
import { useApp } from '../context';
import { useKeys } from '../keyboard';
import { FilterBar } from '../log/filter-bar';
import { writeFilters } from '../log/filters';
import styles from '../log/log.module.css';
import { LogTable } from '../log/log-table';
import { useLinkFilters } from '../log/use-link-filters';
import { useLogList } from '../log/use-log-list';
import { Divider } from '../parts/divider';
import { IgnoredParams } from '../parts/ignored-params';
import { AwayBar } from '../parts/notes';
import { useReturnToRow } from '../parts/pane';
import { buildPath } from '../route';

const EmptyLog = lazy(async () => ({ default: (await import('../log/empty-log')).EmptyLog }));
const RequestPane = lazy(async () => ({
  default: (await import('../request/request-pane')).RequestPane,
}));
const listPx = 640;

/** The log of all channels, and the details of the open request. */
export function LogPage({ openId }: { openId: string | undefined }) {
  const app = useApp();
  const navigate = useNavigate();
  const { search } = useLocation();
  const { filters, ignored } = useLinkFilters(search);
  const [isPaused, setPaused] = useState(false);
  const list = useLogList({ appId: app.id, filters, isPaused: isPaused || openId !== undefined });
  const open = (row: LogRow | undefined) => {
    if (row) void navigate({ pathname: buildPath(app.id, 'log', row.requestId), search });
  };
  const returnToRow = useReturnToRow(openId);
  const close = () => {
    returnToRow(readOpenId());
    void navigate({ pathname: buildPath(app.id, 'log'), search });
  };
  const step = (by: number) => () => {
    const currentId = readOpenId();
    const at = list.rows.visible.findIndex(({ requestId }) => requestId === currentId);
    open(list.rows.visible[at < 0 ? 0 : at + by]);
  };
  useKeys({
    j: step(1),
    ArrowDown: step(1),
    k: step(-1),
    ArrowUp: step(-1),
    ' ': () => setPaused(!isPaused),
    n: list.showPending,
    Escape: close,
  });
  const isEmpty = list.isRead && list.rows.visible.length === 0 && writeFilters(filters) === '';
  return (
    <div className={`split ${styles.log}`}>
      <div>
        <FilterBar
          filters={filters}
          live={list.live}
          isPaused={isPaused}
          onPause={() => setPaused(!isPaused)}
        />
        <AwayBar loaded={list} reload={list.reload} />
        <IgnoredParams ignored={ignored} />
      </div>
      {isEmpty && !openId ? (
        <Suspense fallback={null}>
          <EmptyLog />
        </Suspense>
      ) : (
        <div className={openId ? 'body open' : 'body'}>
          <LogTable list={list} openId={openId} search={search} />
          {openId && (
            <Suspense fallback={null}>
              <RequestPane key={openId} requestId={openId} onClose={close} />
            </Suspense>
          )}
          {openId && <Divider name="log" side="first" initialPx={listPx} />}
        </div>
      )}
    </div>
  );
}

/** From the address, which is ahead of the page while keys are pressed faster than it is drawn. */
function readOpenId(): string | undefined {
  return window.location.pathname.split('/').at(-1);
}
