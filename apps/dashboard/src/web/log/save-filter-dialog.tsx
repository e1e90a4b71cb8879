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
  function save(name: string) {
    const existingFilter = findByName(name);
    const place = { appId: app.id };
    return existingFilter
      ? api.call('PATCH /api/apps/:appId/filters/:id', {
          ...place,
          id: existingFilter.id,
          body: { filters: savableFilters },
        })
      : api.call('POST /api/apps/:appId/filters', {
          ...place,
          body: { name, filters: savableFilters },
        });
  }
  return (
    <NameDialog
      title="Save filter"
      action={(name) => (findByName(name) ? 'Replace filter' : 'Save filter')}
      hint={`Visible to every operator of this account. At most ${list.value?.max ?? 50} per app.`}
      maxLength={maxNameLength}
      send={save}
      onDone={(filters) => {
        list.set(filters);
        onClose();
      }}
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
  metadata: 'the metadata',
};
