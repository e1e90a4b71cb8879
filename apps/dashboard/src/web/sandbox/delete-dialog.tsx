import { useApp, useServices } from '../context';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';

export function DeleteDialog({
  onClose,
  onDeleted,
}: {
  onClose: () => void;
  onDeleted: () => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({});
  const onSubmit = form.submit(
    () => api.call('DELETE /api/apps/:appId/captures', { appId: app.id, body: { confirm: true } }),
    () => {
      onDeleted();
      onClose();
    },
  );
  return (
    <FormDialog
      title="Delete all captures"
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Delete all captures"
      isDanger
    >
      <p>
        Every capture of {app.name} is deleted, including its rendered content in the log. Requests
        and states are kept.
      </p>
    </FormDialog>
  );
}
