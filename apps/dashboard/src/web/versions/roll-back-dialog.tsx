import { type FormEvent, useState } from 'react';
import type { EventAnswer, VersionAnswer } from '../../api/events';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { listChanges } from '../editor/definition';
import type { Draft } from '../editor/use-draft';
import { plural } from '../format';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { Problems } from '../parts/problems';
import { LiveChangedNote } from './live-changed-note';
import { MissingVariables } from './missing-variables';
import type { ViewedVersion } from './use-version';

type RollBackProps = {
  event: EventAnswer;
  live: VersionAnswer;
  to: ViewedVersion;
  draft: Draft;
  onEvent: (event: EventAnswer) => void;
  onReload: () => Promise<void>;
  onClose: () => void;
};

/** Publishes an older version again as a new one. The versions in between stay in the list. */
export function RollBackDialog({ event, live, to, draft, onEvent, ...on }: RollBackProps) {
  const app = useApp();
  const { api } = useServices();
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function rollBack(form: FormEvent) {
    form.preventDefault();
    if (draft.isDirty && !(await draft.save())) return on.onClose();
    const answer = await api.call(
      'POST /api/apps/:appId/events/:eventId/versions/:versionId/roll-back',
      {
        appId: app.id,
        eventId: event.id,
        versionId: to.id,
        body: { basedOnLive: live.id, note },
      },
    );
    if ('problem' in answer) return setProblem(answer.problem);
    onEvent(answer.value);
  }
  async function look() {
    await on.onReload();
    setProblem(undefined);
  }
  const changes = listChanges(live.definition, to.definition);
  const isDraftKept = listChanges(live.definition, draft.definition).length > 0;
  return (
    <Dialog title={`Roll back ${event.name} to ${to.title}`} onClose={on.onClose}>
      <form className="form" onSubmit={(form) => void rollBack(form)}>
        <p>
          This publishes {to.title} again as a new version, with {plural(changes.length, 'change')}{' '}
          from v{live.number}. Requests accepted before keep v{live.number}.
        </p>
        <p className="dim">
          {isDraftKept
            ? `The draft is kept, because it differs from v${live.number}.`
            : 'The draft is rolled back, too.'}
        </p>
        <MissingVariables event={event} definition={to.definition} />
        <LiveChangedNote problem={problem} onLook={() => void look()} />
        <Problems problems={problem?.publishProblems ?? []} />
        <Field
          label="Note"
          aside="optional"
          value={note}
          maxLength={500}
          hint={`Reason for the rollback, shown in the list of versions.`}
          onChange={({ target }) => setNote(target.value)}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit" disabled={problem?.code === 'live_changed'}>
            Roll back
          </Button>
          <Button onClick={on.onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
