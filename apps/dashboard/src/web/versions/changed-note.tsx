import type { EventAnswer } from '../../api/events';
import { formatMoment } from '../dates';
import { Button } from '../parts/controls';
import { NoteBox } from '../parts/notes';

type ChangedProps = {
  event: EventAnswer;
  isLiveChanged: boolean;
  /** The answer to a call of this dialog was lost, so the change may be its own. */
  isAnswerLost: boolean;
  onLook: () => void;
};

/** Somebody changed what the operator reviews: they must see the change before they confirm. */
export function ChangedNote({
  event: { live, draft },
  isLiveChanged,
  isAnswerLost,
  onLook,
}: ChangedProps) {
  const change =
    isLiveChanged && live
      ? { who: live.createdBy, what: `published v${live.number}`, at: live.createdAt }
      : { who: draft.savedBy, what: 'saved another draft', at: draft.savedAt };
  return (
    <NoteBox
      tone="red"
      title={`${change.who ?? 'Another operator'} ${change.what} at ${formatMoment(change.at)}.`}
      action={
        <Button look="small" onClick={onLook}>
          Show the change
        </Button>
      }
    >
      This dialog shows what was there before.{' '}
      {isAnswerLost
        ? 'The answer to your call was lost, so this may be your own version.'
        : 'Nothing was published from it.'}
    </NoteBox>
  );
}
