import type { PageProblem } from '../api';
import { useApp, useTools } from '../context';
import { NameDialog } from '../parts/name-dialog';
import type { PageFilters } from './filters';
import {
  maxNameLength,
  savableOf,
  unsavableOf,
  useSavedFilters,
  wordsOfFilters,
} from './saved-filters';

/** Gives the filters of the page a name, for everybody who sees this log. */
export function SaveFilterDialog({
  filters,
  onClose,
}: {
  filters: PageFilters;
  onClose: () => void;
}) {
  const app = useApp();
  const { api } = useTools();
  const list = useSavedFilters(app.id);
  const kept = savableOf(filters);
  const left = unsavableOf(filters);
  const same = (name: string) =>
    list.value?.filters.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  async function save(name: string): Promise<PageProblem | undefined> {
    const known = same(name);
    const answer = await (known
      ? api.changeSavedFilter(app.id, known.id, { filters: kept })
      : api.saveFilter(app.id, { name, filters: kept }));
    if ('problem' in answer) return answer.problem;
    list.set(answer.value);
    onClose();
    return undefined;
  }
  return (
    <NameDialog
      title="Save filter"
      action={(name) => (same(name) ? 'Replace it' : 'Save filter')}
      hint={`Every operator of this account finds it by this name; at most ${list.value?.max ?? 50} an app.`}
      maxLength={maxNameLength}
      onName={save}
      onClose={onClose}
    >
      <p>
        It asks for <b>{wordsOfFilters(kept)}</b>.
      </p>
      {left.length > 0 && (
        <p className="dim small">
          Not saved: {left.map((name) => leftWords[name]).join(', ')}. What names one person or one
          request stays in the address alone.
        </p>
      )}
    </NameDialog>
  );
}

const leftWords: Partial<Record<keyof PageFilters, string>> = {
  recipient: 'the recipient',
  requestId: 'the request id',
  idempotencyKey: 'the idempotency key',
};
