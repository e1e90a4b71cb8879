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

/** Saves the filters of the page under a name, for all operators. */
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
      ? api.call('PATCH /api/apps/:appId/filters/:id', {
          appId: app.id,
          id: existingFilter.id,
          body: { filters: savableFilters },
        })
      : api.call('POST /api/apps/:appId/filters', {
          appId: app.id,
          body: { name, filters: savableFilters },
        }));
    if ('problem' in answer) return answer.problem;
    list.set(answer.value);
    onClose();
    return undefined;
  }
  return (
    <NameDialog
      title="Save filter"
      action={(name) => (findByName(name) ? 'Replace' : 'Save filter')}
      hint={`Visible to every operator of this account. At most ${list.value?.max ?? 50} per app.`}
      maxLength={maxNameLength}
      onName={save}
      onClose={onClose}
    >
      <p>
        Filters: <b>{formatFilters(savableFilters)}</b>.
      </p>
      {unsavedNames.length > 0 && (
        <p className="dim small">
          Not saved: {unsavedNames.map((name) => unsavedLabels[name]).join(', ')}. Filters for one
          person or one request are kept only in the URL.
        </p>
      )}
    </NameDialog>
  );
}

const unsavedLabels: Partial<Record<keyof PageFilters, string>> = {
  recipient: 'the recipient',
  requestId: 'the request ID',
  idempotencyKey: 'the idempotency key',
};
