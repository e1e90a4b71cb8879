import { useApp, useServices, useSession } from '../context';
import { SelectField, TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';

/** Suppresses a given or typed address. */
export function SuppressDialog({
  channel: initialChannel,
  address: initialAddress,
  onClose,
  onDone,
}: {
  channel?: string;
  address?: string;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const app = useApp();
  const { registry } = useSession();
  const { api } = useServices();
  const names = registry.channels.map(({ channel }) => channel);
  const form = useForm({
    channel: initialChannel ?? 'email',
    address: initialAddress ?? '',
    detail: '',
  });
  const onSubmit = form.submit(
    (body) => api.call('POST /api/apps/:appId/suppressions', { appId: app.id, body }),
    async () => {
      onClose();
      await onDone();
    },
  );
  return (
    <FormDialog
      title={
        initialAddress ? `Suppress ${initialChannel} to ${initialAddress}` : 'Suppress address'
      }
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Suppress"
      unsaved="the suppression"
      leastChanges={2}
    >
      <p>
        This app will send no more messages of the channel to the address. New and waiting ones are
        skipped and shown in the log.
      </p>
      {initialAddress === undefined && (
        <>
          <SelectField name="channel" label="Channel" options={names} />
          <TextField name="address" label="Address" isMono required autoComplete="off" />
        </>
      )}
      <TextField
        name="detail"
        label="Reason"
        required="Enter a reason."
        maxLength={500}
        hint="Shown beside the address."
      />
    </FormDialog>
  );
}
