import { lazy, Suspense } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useSession } from '../context';
import { type PageFilters, writeFilters } from '../log/filters';
import { useLinkFilters } from '../log/use-link-filters';
import { Button } from '../parts/controls';
import { Icon } from '../parts/icons';

const ResendByFilterDialog = lazy(async () => ({
  default: (await import('./resend-by-filter-dialog')).ResendByFilterDialog,
}));

/** Button beside the log filters that resends all matching messages. The dialog is part of the URL. */
export function ResendByFilter({ filters }: { filters: PageFilters }) {
  const navigate = useNavigate();
  const { mayChange } = useSession();
  const { search } = useLocation();
  const { ignored } = useLinkFilters(search);
  const filterQuery = writeFilters(filters);
  if (!mayChange || filterQuery === '') return null;
  // Without a filter that was wrong in the link, more messages match than it meant.
  const isOpen = ignored.length === 0 && new URLSearchParams(search).get('do') === 'resend';
  return (
    <>
      <Button
        look="small"
        title="Resend all messages that match the filters"
        onClick={() => navigate({ search: `${filterQuery}&do=resend` })}
      >
        <Icon name="retry" size={14} />
        Resend all…
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <ResendByFilterDialog
            key={filterQuery}
            filters={filters}
            onClose={() => navigate({ search: filterQuery }, { replace: true })}
          />
        )}
      </Suspense>
    </>
  );
}
