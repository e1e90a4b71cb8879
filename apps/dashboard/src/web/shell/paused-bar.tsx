import { useState } from 'react';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { Mark } from '../parts/state-mark';

/** Shown on every page of an app with paused sending, so that nobody looks for a fault elsewhere. */
export function PausedBar() {
  const { api } = useServices();
  const { app, mayChange, reloadApps } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  if (!app || app.sendingPausedAt === null) return null;
  async function resume(appId: string) {
    const answer = await api.call('POST /api/apps/:appId/resume', { appId });
    setProblem('problem' in answer ? answer.problem : undefined);
    await reloadApps();
  }
  const { id, name, sendingPausedAt, sendingPausedBy } = app;
  return (
    <div className="away" role="status">
      <Mark name="paused" />
      <span className="grow">
        <b>Sending of {name} is paused</b> since <Moment at={sendingPausedAt} />
        <Name text={sendingPausedBy ? ` by ${sendingPausedBy}.` : '.'} /> Calls are accepted, and
        their messages wait in PostgreSQL until their time to live ends. {problem?.error}
      </span>
      {mayChange && (
        <Button look="small" onClick={() => void resume(id)}>
          Resume all sending
        </Button>
      )}
    </div>
  );
}
