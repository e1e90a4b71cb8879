import { clock } from '../format';
import { Button } from '../parts/controls';
import { Mark } from '../parts/state-mark';
import type { Draft } from './use-draft';

/** Two people edit one event: nobody's words are lost without being asked. */
export function ConflictBar({ draft }: { draft: Draft }) {
  const { problem } = draft;
  if (!problem) return null;
  if (problem.code !== 'draft_changed') {
    return (
      <div className="away" role="alert">
        <Mark name="attention" />
        <span className="grow">
          Not saved: {problem.error} What you typed is kept on this page.
        </span>
        <Button look="small" onClick={() => void draft.save()}>
          Save again
        </Button>
      </div>
    );
  }
  const who = problem.savedBy ?? 'Somebody else';
  const when = problem.savedAt ? ` at ${clock(problem.savedAt)}` : '';
  return (
    <div className="away conflict" role="alert">
      <Mark name="attention" />
      <span className="grow">
        <b>
          {who} saved this draft{when}, after you opened it.
        </b>{' '}
        Yours is kept on this page and not saved.
      </span>
      <Button look="small" onClick={() => void draft.takeTheirs()}>
        Take theirs, drop mine
      </Button>
      <Button look="small" onClick={() => void draft.overwrite()}>
        Save mine over theirs
      </Button>
    </div>
  );
}
