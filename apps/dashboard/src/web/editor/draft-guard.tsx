import { useEffect, useEffectEvent, useState } from 'react';
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
  const saveFirst = useEffectEvent(async () => {
    if (blocker.state !== 'blocked') return;
    if (await draft.save()) blocker.proceed();
    else setFailed(true);
  });
  useEffect(() => {
    if (isBlocked) void saveFirst();
  }, [isBlocked]);
  function keepEditing() {
    setFailed(false);
    blocker.reset?.();
  }
  if (!isBlocked || !hasFailed) return null;
  return (
    <DiscardDialog
      what={`the draft of ${name}`}
      changed={[]}
      onKeep={keepEditing}
      onDiscard={() => blocker.proceed()}
    />
  );
}
