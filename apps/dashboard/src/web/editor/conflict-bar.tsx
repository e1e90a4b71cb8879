import { formatMoment } from '../dates';
import { Button } from '../parts/controls';
import { Mark } from '../parts/state-mark';
import type { Draft } from './use-draft';

/** Resolves conflicts between two operators who edit the same event. */
export function ConflictBar({ draft }: { draft: Draft }) {
  const { problem } = draft;
  if (!problem) return null;
  if (problem.code !== 'draft_changed') {
    return (
      <div className="away" role="alert">
        <Mark name="attention" />
        <span className="grow">Not saved: {problem.error} This page keeps your changes.</span>
        <Button look="small" onClick={() => void draft.save()}>
          Try again
        </Button>
      </div>
    );
  }
  const who = problem.savedBy ?? 'Another operator';
  const when = problem.savedAt ? ` at ${formatMoment(problem.savedAt)}` : '';
  return (
    <div className="away" role="alert">
      <Mark name="attention" />
      <span className="grow">
        <b>
          {who} saved this draft{when}, after you opened it.
        </b>{' '}
        Your changes are not saved, but this page keeps them.
      </span>
      <Button look="small" onClick={() => void draft.takeTheirs()}>
        Discard my changes
      </Button>
      <Button look="small" onClick={() => void draft.overwrite()}>
        Overwrite their draft
      </Button>
    </div>
  );
}
