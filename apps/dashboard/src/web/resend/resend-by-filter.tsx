import { lazy, Suspense } from 'react';
import { usePlace, useServices, useSession } from '../context';
import { type PageFilters, toQuery, writeFilters } from '../log/filters';
import { Button } from '../parts/controls';
import { Icon } from '../parts/icons';

const ResendByFilterDialog = lazy(async () => ({
  default: (await import('./resend-by-filter-dialog')).ResendByFilterDialog,
}));

/** Beside the filters of the log: all that they match, sent again. The address says that it is open. */
export function ResendByFilter({ filters }: { filters: PageFilters }) {
  const { places } = useServices();
  const { mayChange } = useSession();
  const { path, search } = usePlace();
  const filterQuery = writeFilters(filters);
  if (!mayChange || filterQuery === '') return null;
  const isOpen = new URLSearchParams(search).get('do') === 'resend';
  return (
    <>
      <Button
        look="small"
        title="Send again everything that the filters match"
        onClick={() => places.go(path, { search: `${filterQuery}&do=resend` })}
      >
        <Icon name="retry" size={14} />
        Resend all…
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <ResendByFilterDialog
            query={toQuery(filters, Date.now())}
            onClose={() => places.go(path, { search: filterQuery, isReplacing: true })}
          />
        )}
      </Suspense>
    </>
  );
}
