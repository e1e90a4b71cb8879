import type { TestConnectionAnswer } from '../../api/integrations';
import { formatFull } from '../dates';
import { duration } from '../format';
import { NoteBox } from '../parts/notes';

export function TestResult({
  tested,
  hasSaved = false,
}: {
  tested?: TestConnectionAnswer;
  hasSaved?: boolean;
}) {
  if (tested) {
    const verdict = tested.isWorking ? 'passed.' : 'failed.';
    return (
      <div role="status">
        <NoteBox
          tone={tested.isWorking ? 'green' : 'red'}
          title={`Test at ${formatFull(tested.testedAt)}, ${duration(tested.tookMs)}: ${verdict}`}
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
        Saved. Secrets are encrypted; at most their last four characters are shown.
      </NoteBox>
    </div>
  );
}
