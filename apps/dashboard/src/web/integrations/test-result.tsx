import type { TestConnectionAnswer } from '../../api/integrations';
import type { PageProblem } from '../api';
import { clock, duration } from '../format';
import { NoteBox, ProblemNote } from '../parts/notes';

export function TestResult({
  problem,
  tested,
  hasSaved,
}: {
  problem: PageProblem | undefined;
  tested: TestConnectionAnswer | undefined;
  hasSaved: boolean;
}) {
  if (problem) return <ProblemNote problem={problem} />;
  if (tested) {
    const verdict = tested.isWorking ? 'passed.' : 'failed.';
    return (
      <div role="status">
        <NoteBox
          tone={tested.isWorking ? 'green' : 'red'}
          title={`Test at ${clock(tested.testedAt)}, ${duration(tested.tookMs)}: ${verdict}`}
        >
          {tested.detail}
        </NoteBox>
      </div>
    );
  }
  if (!hasSaved) return null;
  return (
    <div role="status">
      <NoteBox tone="green">
        Saved. Secrets are encrypted; only their last four characters are shown.
      </NoteBox>
    </div>
  );
}
