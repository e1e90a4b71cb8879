import { type ReactNode, useState } from 'react';
import type { Definition, EventAnswer, VersionAnswer } from '../../api/events';
import type { PublishProblem } from '../../api/problem';
import { useAnswer } from '../answers';
import type { Result } from '../api';
import { useApp } from '../context';
import { plural } from '../format';
import { TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Problems } from '../parts/problems';
import { type Form, useForm } from '../parts/use-form';
import { ChangedNote } from './changed-note';
import { MissingVariables } from './missing-variables';

export type GoLiveProps = {
  event: EventAnswer;
  /** The definition that goes live. */
  definition: Definition;
  title: string;
  action: string;
  noteHint: string;
  isDisabled?: boolean;
  /** Problems of the definition before the server checks it again. */
  problems?: readonly PublishProblem[];
  /** Answers undefined if the draft could not be saved first. `live` is the version that the operator saw. */
  send: (note: string, live: VersionAnswer | null) => Promise<Result<EventAnswer | undefined>>;
  onDone: (event: EventAnswer) => unknown;
  onReload: () => Promise<void>;
  onClose: () => void;
  /** Shows what the operator reviews; it stays the same until they ask for the change of somebody else. */
  children: (seen: Seen) => ReactNode;
};

type Seen = { live: VersionAnswer | null; definition: Definition };

/** While it is published here, a new version is no change by somebody else. */
const isPublishing = ({ isSubmitting, problem }: Form<{ note: string }>) =>
  isSubmitting && !problem;

/** Makes a version live: shows what recent calls do not send and what is wrong, and takes a note. */
export function GoLiveDialog(props: GoLiveProps) {
  const { event, definition, title, action, onClose } = props;
  const app = useApp();
  const form = useForm({ note: '' });
  // The page behind reads the event again every few seconds.
  const [seen, setSeen] = useState<Seen>({ live: event.live, definition });
  const isLiveChanged = event.live?.id !== seen.live?.id;
  const { problem } = form;
  const isChanged = !isPublishing(form) && (isLiveChanged || definition !== seen.definition);
  const isAnswerLost = problem?.code === 'unreachable';
  const problems = problem?.publishProblems ?? props.problems ?? [];
  const errors = problems.filter(({ severity }) => severity === 'error');
  const isComparable = errors.length === 0;
  const comparison = useAnswer(
    'POST /api/apps/:appId/events/:eventId/variables',
    { appId: app.id, eventId: event.id, body: { definition: seen.definition } },
    { isEnabled: isComparable },
  );
  // Its warning is read before the button is pressed, and moves the button.
  const isComparing = isComparable && !comparison.value && !comparison.problem;
  async function send(note: string) {
    const result = await props.send(note, seen.live);
    if ('problem' in result && result.problem.code === 'live_changed') await props.onReload();
    return result;
  }
  function showChange() {
    form.showProblem(undefined);
    setSeen({ live: event.live, definition });
  }
  return (
    <FormDialog
      title={title}
      // A change has its own note.
      form={isChanged && !isAnswerLost ? { ...form, problem: undefined } : form}
      onSubmit={form.submit(
        ({ note }) => send(note),
        // The page below shows why the draft could not be saved.
        (published) => (published ? props.onDone(published) : onClose()),
      )}
      onClose={onClose}
      action={action}
      isDisabled={props.isDisabled === true || !isComparable || isComparing || isChanged}
      isWide
    >
      {isChanged && <ChangedNote {...{ event, isLiveChanged, isAnswerLost }} onLook={showChange} />}
      {props.children(seen)}
      {isComparable && !comparison.problem && (
        <MissingVariables value={comparison.value} definition={seen.definition} />
      )}
      <Problems problems={problems} />
      <TextField name="note" label="Note" aside="optional" maxLength={500} hint={props.noteHint} />
      {!problem && errors.length > 0 && (
        <p className="faint small">Correct {plural(errors.length, 'problem')} first.</p>
      )}
    </FormDialog>
  );
}
