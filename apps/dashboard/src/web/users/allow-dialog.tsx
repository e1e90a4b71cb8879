import { formatSuppressedSender, formatSuppressor } from '@belfry/shared';
import type { SuppressionRow } from '../../api/suppressions';
import { useApp, useServices } from '../context';
import { formatMoment } from '../dates';
import { FormDialog } from '../parts/form-dialog';
import { Name } from '../parts/name';
import { useForm } from '../parts/use-form';

/** Asks before a suppression is removed: its reason and its time are lost. */
export function AllowDialog({
  row,
  onClose,
  onDone,
}: {
  row: SuppressionRow;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({});
  const onSubmit = form.submit(
    () => api.call('DELETE /api/apps/:appId/suppressions/:id', { appId: app.id, id: row.id }),
    async () => {
      await onDone();
      onClose();
    },
  );
  const by = `${row.reason.replaceAll('_', ' ')}, by ${formatSuppressor(row.source, row.addedBy)}`;
  const why = row.detail === null ? by : `${by}: ${row.detail}`;
  return (
    <FormDialog
      title={`Allow ${row.channel} to ${row.address}`}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Allow"
    >
      <p>
        Messages are sent to it again. It has been suppressed for{' '}
        {formatSuppressedSender(row.sender)} since {formatMoment(row.at)}: <Name text={why} />. The
        reason is deleted.
      </p>
    </FormDialog>
  );
}
