import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import type { Loaded } from '../answers';
import { Button } from './controls';
import { Icon } from './icons';
import { Waiting } from './notes';
import { phone } from './phone';

/**
 * The heading of a pane that opens beside its list. On a phone the pane replaces the list, so the heading gets the focus:
 * the row that opened the pane is hidden.
 */
export function PaneHeading({
  className,
  isShown = true,
  children,
}: {
  className?: string;
  /** Whether the pane is shown on a phone. */
  isShown?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirstPage = useLocation().key === 'default';
  const takeFocus = useEffectEvent(() => {
    const hasFocus = heading.current?.closest('.pane')?.contains(document.activeElement);
    if (!isFirstPage && !hasFocus && matchMedia(phone).matches) heading.current?.focus();
  });
  useEffect(() => {
    if (isShown) takeFocus();
  }, [isShown]);
  return (
    <h2 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h2>
  );
}

export function CloseButton({ label, onClose }: { label: string; onClose: () => void }) {
  return (
    <Button look="small bare icon" title="Close (Esc)" aria-label={label} onClick={onClose}>
      <Icon name="x" />
    </Button>
  );
}

/** Instead of the content of a pane. Content that cannot be read has no heading, and no button that closes the pane. */
export function UnreadPane({
  loaded,
  reload,
  what,
  onClose,
}: {
  loaded: Loaded<unknown>;
  reload: () => Promise<void>;
  what: string;
  onClose: () => void;
}) {
  return (
    <>
      {loaded.problem && (
        <div className="bar">
          <span className="grow" />
          <CloseButton label={`Close ${what}`} onClose={onClose} />
        </div>
      )}
      <Waiting loaded={loaded} reload={reload} what={what} />
    </>
  );
}

/**
 * Returns the focus to the row of a closed pane. On a phone, the list is hidden until then. Call the result before the
 * pane is closed.
 */
export function useReturnToRow(openId: string | undefined): (closedId: string | undefined) => void {
  // The pane may be closed before it is drawn, so `openId` need not change.
  const [closedId, setClosedId] = useState<string>();
  useEffect(() => {
    if (openId !== undefined || closedId === undefined) return;
    focusRow(closedId);
    setClosedId(undefined);
  }, [openId, closedId]);
  return setClosedId;
}

function focusRow(id: string): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  rows
    .find(({ dataset }) => dataset['row'] === id)
    ?.querySelector('a')
    ?.focus();
}
