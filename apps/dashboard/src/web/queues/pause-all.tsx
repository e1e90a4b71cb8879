import { useLocation, useNavigate } from 'react-router';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';

/** Pauses all sending of the app after a confirmation. The dialog is part of the URL. */
export function PauseAll({ onChanged }: { onChanged: () => Promise<void> }) {
  const app = useApp();
  const navigate = useNavigate();
  const { mayChange } = useSession();
  const { search } = useLocation();
  if (!mayChange || app.sendingPausedAt !== null) return null;
  return (
    <>
      <Button look="small" onClick={() => navigate({ search: 'do=pause' })}>
        Pause all sending
      </Button>
      {new URLSearchParams(search).get('do') === 'pause' && (
        <PauseDialog
          onClose={() => navigate({ search: '' }, { replace: true })}
          onChanged={onChanged}
        />
      )}
    </>
  );
}

function PauseDialog({
  onClose,
  onChanged,
}: {
  onClose: () => void;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const { reloadApps } = useSession();
  const form = useForm({});
  const onSubmit = form.submit(
    () => api.call('POST /api/apps/:appId/pause', { appId: app.id }),
    async () => {
      onClose();
      await Promise.all([reloadApps(), onChanged()]);
    },
  );
  return (
    <FormDialog
      title={`Pause all sending of ${app.name}`}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Pause all sending"
    >
      <p>
        Workers make no new provider calls for this app, on any channel. Provider calls in progress
        finish.
      </p>
      <p>
        Calls are still accepted. Their messages wait in PostgreSQL, even across restarts. A message
        whose time to live ends during the pause fails as <code>expired</code>.
      </p>
    </FormDialog>
  );
}
