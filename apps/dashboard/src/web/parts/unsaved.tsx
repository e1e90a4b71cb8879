import { useEffect, useState } from 'react';
import { Button } from './controls';
import { Dialog } from './dialog';
import { useLeaveGuard } from './leave-guards';
import type { Unsaved } from './use-form';

/** Asks before the operator leaves the page with unsaved changes. `what` names their subject. */
export function UnsavedGuard({
  unsaved,
  what,
  isTab = false,
}: {
  unsaved: Unsaved;
  what: string;
  /** The form is on a tab, which the query of the URL opens. */
  isTab?: boolean;
}) {
  const { isAsked, leave, stay } = useLeaveGuard(
    (current, next) =>
      (current.pathname !== next.pathname || (isTab && current.search !== next.search)) &&
      unsaved.isUnsaved(),
  );
  useAskBeforeUnload(unsaved.isUnsaved);
  if (!isAsked) return null;
  return (
    <DiscardDialog what={what} changed={unsaved.listChanged()} onKeep={stay} onDiscard={leave} />
  );
}

/** The browser asks in its own words before the tab is closed or reloaded. */
export function useAskBeforeUnload(isUnsaved: () => boolean): void {
  useEffect(() => {
    function ask(event: BeforeUnloadEvent) {
      if (isUnsaved()) event.preventDefault();
    }
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}

/**
 * Asks before a dialog is closed with changes to `what`; without `what` it never asks. Fewer changed fields than `leastChanges`
 * are entered again quickly.
 */
export function useAskBeforeClose(
  { isUnsaved, listChanged }: Unsaved,
  {
    what,
    leastChanges = 1,
    onClose,
  }: { what: string | undefined; leastChanges?: number; onClose: () => void },
) {
  const [isAsking, setAsking] = useState(false);
  const unsaved: Unsaved = {
    listChanged,
    isUnsaved: () => isUnsaved() && listChanged().length >= leastChanges,
  };
  return {
    unsaved,
    close: () => (what !== undefined && unsaved.isUnsaved() ? setAsking(true) : onClose()),
    question: what !== undefined && isAsking && (
      <DiscardDialog
        what={what}
        changed={listChanged()}
        onKeep={() => setAsking(false)}
        onDiscard={onClose}
      />
    ),
  };
}

export function DiscardDialog({
  what,
  changed,
  onKeep,
  onDiscard,
}: {
  what: string;
  /** Labels of the changed fields. */
  changed: readonly string[];
  onKeep: () => void;
  onDiscard: () => void;
}) {
  return (
    <Dialog title={`Discard the changes to ${what}?`} onClose={onKeep}>
      <p>
        {changed.length > 0
          ? `Not saved: ${changed.join(', ')}.`
          : 'The last changes are not saved.'}
      </p>
      <div className="dialog-foot">
        <Button look="main-action" onClick={onKeep}>
          Keep editing
        </Button>
        <Button look="danger" onClick={onDiscard}>
          Discard changes
        </Button>
      </div>
    </Dialog>
  );
}
