import { type FormEvent, useState } from 'react';
import type { EventAnswer } from '../../api/events';
import { useReload } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { plural } from '../format';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { Problems } from '../parts/problems';
import { LiveChangedNote } from '../versions/live-changed-note';
import { MissingVariables } from '../versions/missing-variables';
import { listChanges } from './definition';
import type { Draft } from './use-draft';

type PublishProps = {
  event: EventAnswer;
  draft: Draft;
  onEvent: (event: EventAnswer) => void;
  onReload: () => Promise<void>;
  onClose: () => void;
};

/** Shows the changes before publishing. A published version never changes. */
export function PublishDialog({ event, draft, onEvent, onReload, onClose }: PublishProps) {
  const app = useApp();
  const { api } = useServices();
  const reloadAnswer = useReload();
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  const problems = problem?.publishProblems ?? draft.checked.problems;
  const errors = problems.filter(({ severity }) => severity === 'error');
  async function publish(form: FormEvent) {
    form.preventDefault();
    const saved = draft.isDirty ? await draft.save() : draft.saved;
    if (!saved) return onClose();
    const basedOnLive = event.live?.id ?? null;
    const answer = await api.call('POST /api/apps/:appId/events/:eventId/publish', {
      appId: app.id,
      eventId: event.id,
      body: { basedOn: saved.revision, basedOnLive, note },
    });
    if ('problem' in answer) return setProblem(answer.problem);
    onEvent(answer.value);
    await reloadAnswer('GET /api/apps/:appId/events', { appId: app.id });
  }
  async function reload() {
    await onReload();
    setProblem(undefined);
  }
  return (
    <Dialog title={`Publish ${event.name}`} onClose={onClose}>
      <form className="form" onSubmit={(form) => void publish(form)}>
        <Changes event={event} draft={draft} />
        <MissingVariables event={event} definition={draft.definition} />
        {!problem?.publishProblems && (
          <LiveChangedNote problem={problem} onLook={() => void reload()} />
        )}
        <Problems problems={problems} />
        <Field
          label="Note"
          aside="optional"
          value={note}
          maxLength={500}
          hint="Reason for the change, shown in the list of versions."
          onChange={({ target }) => setNote(target.value)}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit" disabled={errors.length > 0}>
            Publish
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          {errors.length > 0 && (
            <span className="faint small">{plural(errors.length, 'problem')} to correct first</span>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function Changes({ event, draft }: { event: EventAnswer; draft: Draft }) {
  if (!event.live)
    return <p>This is the first version. Callers can send the event as soon as it is published.</p>;
  const changes = listChanges(event.live.definition, draft.definition);
  return (
    <>
      <p>
        Requests accepted before keep v{event.liveNumber}. {plural(changes.length, 'change')}:
      </p>
      <ul className="changes">
        {changes.map((place) => (
          <li key={place} className="mono">
            {place.replace(/^channels\./, '').replace('.templates.', ' ')}
          </li>
        ))}
      </ul>
    </>
  );
}
