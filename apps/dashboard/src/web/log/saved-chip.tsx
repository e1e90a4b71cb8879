import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { useApp, useSession } from '../context';
import { Button } from '../parts/controls';
import { SelectChip } from '../parts/select-chip';
import { type PageFilters, writeFilters } from './filters';
import { findSaved, pickSavableFilters, useSavedFilters } from './saved-filters';

// Forms are loaded when they are opened.
const SaveFilterDialog = lazy(async () => ({
  default: (await import('./save-filter-dialog')).SaveFilterDialog,
}));
const SavedFiltersDialog = lazy(async () => ({
  default: (await import('./saved-filters-dialog')).SavedFiltersDialog,
}));

const manage = 'manage';

/** Menu of the saved filters. A saved filter is a named URL of the log. */
export function SavedChip({ filters }: { filters: PageFilters }) {
  const app = useApp();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const [isManaging, setManaging] = useState(false);
  const saved = useSavedFilters(app.id).value?.filters ?? [];
  if (saved.length === 0 && !isManaging) return null;
  function choose(id: string) {
    if (id === manage) return setManaging(true);
    const selectedFilter = saved.find((one) => one.id === id);
    void navigate({ search: selectedFilter ? writeFilters(selectedFilter.filters) : '' });
  }
  return (
    <>
      <SelectChip
        name="saved"
        value={findSaved(saved, filters)?.id}
        none="none"
        options={[
          ...saved.map(({ id, name }) => ({ value: id, text: name })),
          ...(mayChange ? [{ value: manage, text: 'Rename or delete…' }] : []),
        ]}
        onChange={choose}
      />
      <Suspense fallback={null}>
        {isManaging && <SavedFiltersDialog onClose={() => setManaging(false)} />}
      </Suspense>
    </>
  );
}

/** Whether the current filters can be saved and are not saved yet. */
export function SaveButton({ filters }: { filters: PageFilters }) {
  const app = useApp();
  const { mayChange } = useSession();
  const [isSaving, setSaving] = useState(false);
  const saved = useSavedFilters(app.id).value?.filters ?? [];
  const isNew = Object.keys(pickSavableFilters(filters)).length > 0 && !findSaved(saved, filters);
  if (!mayChange || (!isNew && !isSaving)) return null;
  return (
    <>
      <Button look="small" onClick={() => setSaving(true)}>
        Save filter
      </Button>
      <Suspense fallback={null}>
        {isSaving && <SaveFilterDialog filters={filters} onClose={() => setSaving(false)} />}
      </Suspense>
    </>
  );
}
