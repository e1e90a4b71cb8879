import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { ProblemNote } from '../parts/notes';

/** Pauses all sending of the app after a confirmation. The dialog is part of the URL. */
export function PauseAll({ onChanged }: { onChanged: () => Promise<void> }) {
  const app = useApp();
  const navigate = useNavigate();
  const { mayChange } = useSession();
  const { search } = useLocation();
  if (!mayChange || app.sendingPausedAt !== null) return null;
  return (
    <>
      <Button look="small" onClick={() => navigate({ search: 'do=pause' })}>
        Pause all sending
      </Button>
      {new URLSearchParams(search).get('do') === 'pause' && (
        <PauseDialog
          onClose={() => navigate({ search: '' }, { replace: true })}
          onChanged={onChanged}
        />
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
    const answer = await api.call('POST /api/apps/:appId/pause', { appId: app.id });
    if ('problem' in answer) return setProblem(answer.problem);
    onClose();
    await Promise.all([reloadApps(), onChanged()]);
  }
  return (
    <Dialog title={`Pause all sending of ${app.name}`} onClose={onClose}>
      <p>
        Workers make no new provider calls for this app, on any channel. Calls in progress finish.
      </p>
      <p>
        Calls are still accepted. Their messages wait in PostgreSQL, even across restarts. A message
        whose time to live ends during the pause fails as <code>expired</code>.
      </p>
      <ProblemNote problem={problem} />
      <div className="dialog-foot">
        <Button look="main-action" onClick={() => void pause()}>
          Pause all sending
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
