import { useEffect, useState } from 'react';
import { useBlocker } from 'react-router';
import { useSession } from '../context';
import { DiscardDialog, useAskBeforeUnload } from '../parts/unsaved';
import type { Draft } from './use-draft';

/** Saves the draft when the operator leaves the page, and asks only if that fails. */
export function DraftGuard({ draft, name }: { draft: Draft; name: string }) {
  const { mayChange } = useSession();
  const [hasFailed, setFailed] = useState(false);
  const isUnsaved = () => mayChange && draft.isDirty;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && isUnsaved(),
  );
  useAskBeforeUnload(isUnsaved);
  const isBlocked = blocker.state === 'blocked';
  // biome-ignore lint/correctness/useExhaustiveDependencies: one save for each time the operator leaves.
  useEffect(() => {
    setFailed(false);
    if (!isBlocked) return;
    void draft.save().then((saved) => (saved ? blocker.proceed() : setFailed(true)));
  }, [isBlocked]);
  if (!isBlocked || !hasFailed) return null;
  return (
    <DiscardDialog
      what={`the draft of ${name}`}
      changed={[]}
      onKeep={() => blocker.reset()}
      onDiscard={() => blocker.proceed()}
    />
  );
}
