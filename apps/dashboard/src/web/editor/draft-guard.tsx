import { useEffect, useEffectEvent, useState } from 'react';
import { useSession } from '../context';
import { useLeaveGuard } from '../parts/leave-guards';
import { DiscardDialog, useAskBeforeUnload } from '../parts/unsaved';
import type { Draft } from './use-draft';

/** Saves the draft when the operator leaves the page, and asks only if that fails. */
export function DraftGuard({ draft, name }: { draft: Draft; name: string }) {
  const { mayChange } = useSession();
  const [hasFailed, setFailed] = useState(false);
  const isUnsaved = () => mayChange && draft.isDirty;
  const { isAsked, leave, stay } = useLeaveGuard(
    (current, next) => current.pathname !== next.pathname && isUnsaved(),
  );
  useAskBeforeUnload(isUnsaved);
  const saveFirst = useEffectEvent(async () => {
    if (await draft.save()) leave();
    else setFailed(true);
  });
  useEffect(() => {
    if (isAsked) void saveFirst();
  }, [isAsked]);
  function keepEditing() {
    setFailed(false);
    stay();
  }
  if (!isAsked || !hasFailed) return null;
  return (
    <DiscardDialog
      what={`the draft of ${name}`}
      changed={[]}
      onKeep={keepEditing}
      onDiscard={leave}
    />
  );
}
