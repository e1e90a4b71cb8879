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
import { Comparison } from '../versions/comparison';
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

/** Shows the changes before publishing, and publishes only if there are some. A published version never changes. */
export function PublishDialog({ event, draft, onEvent, onReload, onClose }: PublishProps) {
  const app = useApp();
  const { api } = useServices();
  const reloadAnswer = useReload();
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  const problems = problem?.publishProblems ?? draft.checked.problems;
  const errors = problems.filter(({ severity }) => severity === 'error');
  const isSame = event.live && listChanges(event.live.definition, draft.definition).length === 0;
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
    <Dialog title={`Publish ${event.name}`} onClose={onClose} isWide>
      <form className="form" onSubmit={(form) => void publish(form)}>
        <Review event={event} draft={draft} />
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
          <Button look="main-action" type="submit" disabled={errors.length > 0 || isSame === true}>
            Publish
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          {isSame && <span className="faint small">There is no change to publish</span>}
          {errors.length > 0 && (
            <span className="faint small">{plural(errors.length, 'problem')} to correct first</span>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** The difference between the live version and the draft. */
function Review({
  event: { live, liveNumber },
  draft: { definition },
}: Pick<PublishProps, 'event' | 'draft'>) {
  if (!live)
    return <p>This is the first version. Callers can send the event as soon as it is published.</p>;
  const title = `v${liveNumber}`;
  return (
    <>
      <p>Requests accepted before keep {title}.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
      <section className="review" tabIndex={0} aria-label={`Changes since ${title}`}>
        <Comparison
          before={{ title, definition: live.definition }}
          after={{ title: 'draft', definition }}
        />
      </section>
    </>
  );
}
