import { useState } from 'react';
import type { PageProblem } from '../api';
import { useApp, usePlace, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { ProblemNote } from '../parts/notes';

/** Holds up all that the app sends, after saying what that does. The address says that it asks. */
export function PauseAll({ onChanged }: { onChanged: () => Promise<void> }) {
  const app = useApp();
  const { places } = useServices();
  const { mayChange } = useSession();
  const { path, search } = usePlace();
  if (!mayChange || app.sendingPausedAt !== null) return null;
  return (
    <>
      <Button look="small" onClick={() => places.go(path, { search: 'do=pause' })}>
        Pause all sending
      </Button>
      {new URLSearchParams(search).get('do') === 'pause' && (
        <PauseDialog onClose={() => places.go(path, { isReplacing: true })} onChanged={onChanged} />
      )}
    </>
  );
}

function PauseDialog({
  onClose,
  onChanged,
}: {
  onClose: () => void;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const { reloadApps } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  async function pause() {
    const answer = await api.setSendingPaused(app.id, true);
    if ('problem' in answer) return setProblem(answer.problem);
    onClose();
    await Promise.all([reloadApps(), onChanged()]);
  }
  return (
    <Dialog title={`Pause all sending of ${app.name}`} onClose={onClose}>
      <p>
        No worker begins another call for this app, on any channel. Calls that are open now end as
        they would.
      </p>
      <p>
        Callers notice nothing: what they send is accepted and waits in PostgreSQL, also over
        restarts. A message whose time to live ends meanwhile fails as <code>expired</code>.
      </p>
      <ProblemNote problem={problem} />
      <div className="dialog-foot">
        <Button look="main-action" onClick={() => void pause()}>
          Pause all sending
        </Button>
        <Button onClick={onClose}>Go on sending</Button>
      </div>
    </Dialog>
  );
}
