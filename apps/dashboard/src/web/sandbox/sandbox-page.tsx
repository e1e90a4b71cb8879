import { type RefObject, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useApp } from '../context';
import { useKeys } from '../keyboard';
import { Divider } from '../parts/divider';
import { IgnoredParams } from '../parts/ignored-params';
import { AwayBar, Waiting } from '../parts/notes';
import { useReturnToRow } from '../parts/pane';
import { buildPath } from '../route';
import { readCaptureFilters, readCaptureParams, writeCaptureFilters } from './capture-filters';
import { CaptureList } from './capture-list';
import { CaptureView } from './capture-view';
import { DeleteDialog } from './delete-dialog';
import { EmptySandbox } from './empty-sandbox';
import { MagicDialog } from './magic-dialog';
import styles from './sandbox.module.css';
import { SandboxBar } from './sandbox-bar';
import { useCaptures } from './use-captures';

const listPx = 348;

/** The sandbox. Shows the newest capture until one is opened; on a phone, the list until then. */
export function SandboxPage({ openId }: { openId: string | undefined }) {
  const { search, open, close, returnToRow } = useOpenCapture(openId);
  const filters = readCaptureFilters(search);
  const [isPaused, setPaused] = useState(false);
  const [floating, setFloating] = useState<'magic' | 'delete'>();
  const list = useRef<HTMLElement>(null);
  const captures = useCaptures(filters, isPaused || openId !== undefined || isScrolled(list));
  const { visible, first } = captures;
  const currentId = openId ?? visible[0]?.id;
  const step = (by: number) => () => {
    const at = visible.findIndex(({ id }) => id === currentId);
    open(visible[openId === undefined ? 0 : at + by]?.id);
  };
  useKeys({
    j: step(1),
    ArrowDown: step(1),
    k: step(-1),
    ArrowUp: step(-1),
    ' ': () => setPaused(!isPaused),
    n: captures.showPending,
    Escape: close,
  });
  async function forget() {
    close();
    captures.forgetOlder();
    await first.reload();
  }
  const hasFilters = writeCaptureFilters(filters) !== '';
  const isEmpty = first.value !== undefined && visible.length === 0;
  return (
    <div className={`split ${styles.page}`}>
      <div>
        <SandboxBar
          filters={filters}
          isPaused={isPaused}
          hasCaptures={visible.length > 0}
          onPause={() => setPaused(!isPaused)}
          onDeleteAll={() => setFloating('delete')}
          onMagic={() => setFloating('magic')}
        />
        <AwayBar loaded={first} reload={first.reload} />
        <IgnoredParams ignored={readCaptureParams(search).ignored} />
      </div>
      {!first.value && <Waiting loaded={first} reload={first.reload} what="captures" />}
      {isEmpty && !hasFilters && !openId && <EmptySandbox />}
      {isEmpty && hasFilters && (
        <p className="nothing">No capture matches. Remove a filter to see more.</p>
      )}
      {currentId && !(isEmpty && hasFilters) && (
        <div className="body" data-open={openId}>
          <CaptureList ref={list} captures={captures} currentId={currentId} search={search} />
          <CaptureView
            key={currentId}
            captureId={currentId}
            isOpen={openId !== undefined}
            onBack={returnToRow}
            onGone={() => void forget()}
          />
          <Divider name="sandbox" side="first" initialPx={listPx} />
        </div>
      )}
      {floating === 'magic' && <MagicDialog onClose={() => setFloating(undefined)} />}
      {floating === 'delete' && (
        <DeleteDialog onClose={() => setFloating(undefined)} onDeleted={() => void forget()} />
      )}
    </div>
  );
}

function useOpenCapture(openId: string | undefined) {
  const app = useApp();
  const navigate = useNavigate();
  const { search } = useLocation();
  const remember = useReturnToRow(openId);
  const returnToRow = () => remember(openId);
  function open(id: string | undefined) {
    if (id) void navigate({ pathname: buildPath(app.id, 'sandbox', id), search });
  }
  function close() {
    returnToRow();
    void navigate({ pathname: buildPath(app.id, 'sandbox'), search });
  }
  return { search, open, close, returnToRow };
}

/** New captures stay pending while the list is scrolled down. */
function isScrolled({ current }: RefObject<HTMLElement | null>): boolean {
  return (current?.scrollTop ?? 0) > 0;
}
