import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { NameDialog } from '../parts/name-dialog';
import type { PageFilters } from './filters';
import {
  formatFilters,
  listUnsavableNames,
  maxNameLength,
  pickSavableFilters,
  useSavedFilters,
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
  const { api } = useServices();
  const list = useSavedFilters(app.id);
  const savableFilters = pickSavableFilters(filters);
  const unsavedNames = listUnsavableNames(filters);
  const findByName = (name: string) =>
    list.value?.filters.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  async function save(name: string): Promise<PageProblem | undefined> {
    const existingFilter = findByName(name);
    const answer = await (existingFilter
      ? api.changeSavedFilter(app.id, existingFilter.id, { filters: savableFilters })
      : api.saveFilter(app.id, { name, filters: savableFilters }));
    if ('problem' in answer) return answer.problem;
    list.set(answer.value);
    onClose();
    return undefined;
  }
  return (
    <NameDialog
      title="Save filter"
      action={(name) => (findByName(name) ? 'Replace it' : 'Save filter')}
      hint={`Every operator of this account finds it by this name; at most ${list.value?.max ?? 50} an app.`}
      maxLength={maxNameLength}
      onName={save}
      onClose={onClose}
    >
      <p>
        It asks for <b>{formatFilters(savableFilters)}</b>.
      </p>
      {unsavedNames.length > 0 && (
        <p className="dim small">
          Not saved: {unsavedNames.map((name) => unsavedLabels[name]).join(', ')}. What names one
          person or one request stays in the address alone.
        </p>
      )}
    </NameDialog>
  );
}

const unsavedLabels: Partial<Record<keyof PageFilters, string>> = {
  recipient: 'the recipient',
  requestId: 'the request id',
  idempotencyKey: 'the idempotency key',
};
