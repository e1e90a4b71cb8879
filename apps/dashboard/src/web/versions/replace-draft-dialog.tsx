import type { EventAnswer } from '../../api/events';
import type { Result } from '../api';
import { formatMoment } from '../dates';
import { FormDialog } from '../parts/form-dialog';
import { Name } from '../parts/name';
import { useForm } from '../parts/use-form';

type ReplaceProps = {
  draft: EventAnswer['draft'];
  /** The version that becomes the draft. */
  title: string;
  send: () => Promise<Result<EventAnswer>>;
  onDone: (event: EventAnswer) => void;
  onClose: () => void;
};

/** Asks before a draft with changes is replaced: no version keeps them. */
export function ReplaceDraftDialog({ draft, title, send, onDone, onClose }: ReplaceProps) {
  const form = useForm({});
  const { savedBy, savedAt } = draft;
  return (
    <FormDialog
      title={`Replace the draft with ${title}`}
      form={form}
      onSubmit={form.submit(send, onDone)}
      onClose={onClose}
      action="Replace the draft"
      isDanger
    >
      <p>
        The draft has changes that are not published. No version keeps them. It was last saved at{' '}
        {formatMoment(savedAt)}
        <Name text={savedBy ? ` by ${savedBy}.` : '.'} />
      </p>
    </FormDialog>
  );
}
