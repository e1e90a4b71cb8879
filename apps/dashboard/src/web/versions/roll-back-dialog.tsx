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

/** What an older version says goes live again, as a new one. The versions between stay in the list. */
export function RollBackDialog({ event, live, to, draft, onEvent, ...on }: RollBackProps) {
  const app = useApp();
  const { api } = useServices();
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function rollBack(form: FormEvent) {
    form.preventDefault();
    if (draft.isDirty && !(await draft.save())) return on.onClose();
    const answer = await api.rollBack(app.id, event.id, to.id, { basedOnLive: live.id, note });
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
          What {to.title} says is published once more, as a new version; v{live.number} stays in the
          list, and requests that were accepted before keep it. It differs from v{live.number} in{' '}
          {plural(changes.length, 'place')}.
        </p>
        <p className="dim">
          {isDraftKept
            ? `The draft stays: it says something else than v${live.number}.`
            : 'The draft goes back with it.'}
        </p>
        <MissingVariables event={event} definition={to.definition} name={to.id} />
        <LiveChangedNote problem={problem} onLook={() => void look()} />
        <Problems problems={problem?.publishProblems ?? []} />
        <Field
          label="Note"
          aside="optional"
          value={note}
          maxLength={500}
          hint={`Why; it stands in the list of versions, behind “back to ${to.title}”.`}
          onChange={({ target }) => setNote(target.value)}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit" disabled={problem?.code === 'live_changed'}>
            Roll back, live at once
          </Button>
          <Button onClick={on.onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
}
