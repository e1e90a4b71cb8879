import type { PageProblem } from '../api';
import { formatMoment } from '../dates';
import { Button } from '../parts/controls';
import { NoteBox } from '../parts/notes';

/** After a conflict, the operator must see the other version first. */
export function LiveChangedNote({ problem, onLook }: { problem: PageProblem; onLook: () => void }) {
  const when = problem.savedAt ? ` at ${formatMoment(problem.savedAt)}` : '';
  return (
    <NoteBox
      tone="red"
      title={`Another version went live${when}. Your change was not applied.`}
      action={
        <Button look="small" onClick={onLook}>
          Show live version
        </Button>
      }
    >
      {problem.error}
    </NoteBox>
  );
}
