import type { ReactNode } from 'react';
import type { Definition, EventAnswer } from '../../api/events';
import type { PublishProblem } from '../../api/problem';
import { useAnswer } from '../answers';
import type { Result } from '../api';
import { useApp } from '../context';
import { plural } from '../format';
import { TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Problems } from '../parts/problems';
import { useForm } from '../parts/use-form';
import { LiveChangedNote } from './live-changed-note';
import { MissingVariables } from './missing-variables';

type GoLiveProps = {
  event: EventAnswer;
  /** The definition that goes live. */
  definition: Definition;
  title: string;
  action: string;
  noteHint: string;
  isDisabled?: boolean;
  /** Problems of the definition before the server checks it again. */
  problems?: readonly PublishProblem[];
  /** Answers undefined if the draft could not be saved first. */
  send: (note: string) => Promise<Result<EventAnswer | undefined>>;
  onDone: (event: EventAnswer) => unknown;
  onReload: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
};

/** Makes a version live: shows what recent calls do not send and what is wrong, and takes a note. */
export function GoLiveDialog(props: GoLiveProps) {
  const { event, definition, title, action, onReload, onClose } = props;
  const app = useApp();
  const form = useForm({ note: '' });
  const { problem } = form;
  const conflict = problem?.code === 'live_changed' ? problem : undefined;
  const problems = problem?.publishProblems ?? props.problems ?? [];
  const errors = problems.filter(({ severity }) => severity === 'error');
  const isComparable = errors.length === 0;
  const comparison = useAnswer(
    'POST /api/apps/:appId/events/:eventId/variables',
    { appId: app.id, eventId: event.id, body: { definition } },
    { isEnabled: isComparable },
  );
  // Its warning is read before the button is pressed, and moves the button.
  const isComparing = isComparable && !comparison.value && !comparison.problem;
  async function showLive() {
    await onReload();
    form.showProblem(undefined);
  }
  return (
    <FormDialog
      title={title}
      // A conflict has its own note.
      form={conflict ? { ...form, problem: undefined } : form}
      onSubmit={form.submit(
        ({ note }) => props.send(note),
        // The page below shows why the draft could not be saved.
        (published) => (published ? props.onDone(published) : onClose()),
      )}
      onClose={onClose}
      action={action}
      isDisabled={
        props.isDisabled === true || !isComparable || isComparing || conflict !== undefined
      }
      isWide
    >
      {conflict && <LiveChangedNote problem={conflict} onLook={() => void showLive()} />}
      {props.children}
      {isComparable && !comparison.problem && (
        <MissingVariables value={comparison.value} definition={definition} />
      )}
      <Problems problems={problems} />
      <TextField name="note" label="Note" aside="optional" maxLength={500} hint={props.noteHint} />
      {!problem && errors.length > 0 && (
        <p className="faint small">Correct {plural(errors.length, 'problem')} first.</p>
      )}
    </FormDialog>
  );
}
