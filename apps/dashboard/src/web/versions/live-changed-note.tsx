import type { PageProblem } from '../api';
import { clock } from '../format';
import { Button } from '../parts/controls';
import { NoteBox, ProblemNote } from '../parts/notes';

/** What kept a version from going live. When somebody else was faster, theirs is shown before anything is done again. */
export function LiveChangedNote({
  problem,
  onLook,
}: {
  problem: PageProblem | undefined;
  onLook: () => void;
}) {
  if (problem?.code !== 'live_changed') return <ProblemNote problem={problem} />;
  const when = problem.savedAt ? ` at ${clock(problem.savedAt)}` : '';
  return (
    <NoteBox
      tone="red"
      title={`Another version went live${when}. Nothing was changed.`}
      action={
        <Button look="small" onClick={onLook}>
          Show what is live now
        </Button>
      }
    >
      {problem.error}
    </NoteBox>
  );
}
