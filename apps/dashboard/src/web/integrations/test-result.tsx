import type { TestConnectionAnswer } from '../../api/integrations';
import { formatFull } from '../dates';
import { duration } from '../format';
import { NoteBox } from '../parts/notes';

/** The result of the last button that was pressed in the form of an integration. */
export type Outcome = {
  tested?: TestConnectionAnswer;
  /** The test was of other settings than the stored ones, so it says nothing about the health. */
  isUnsaved?: boolean;
  hasSaved?: boolean;
};

export function TestResult({ tested, isUnsaved = false, hasSaved = false }: Outcome) {
  if (tested) {
    const { isWorking, testedAt, tookMs, detail } = tested;
    const subject = isUnsaved ? 'Test of the unsaved settings' : 'Test';
    const verdict = isWorking ? 'passed.' : 'failed.';
    return (
      <div role="status">
        <NoteBox
          tone={isWorking ? 'green' : 'red'}
          title={`${subject} at ${formatFull(testedAt)}, ${duration(tookMs)}: ${verdict}`}
        >
          {detail}
          {isUnsaved && ' The saved integration was not tested.'}
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
