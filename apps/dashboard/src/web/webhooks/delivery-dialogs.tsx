import type { WebhookEndpointAnswer, WebhookListAnswer } from '../../api/webhooks';
import { useApp, useServices } from '../context';
import { SelectField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';
import { countDeliveries } from './endpoint-state';

type DialogProps = {
  endpoint: WebhookEndpointAnswer;
  onClose: () => void;
  onDone: () => Promise<void>;
};

export function ExampleDialog({
  endpoint,
  types,
  onClose,
  onDone,
}: DialogProps & { types: WebhookListAnswer['types'] }) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({ type: types[0]?.name ?? 'message.sent' });
  const onSubmit = form.submit(
    (body) =>
      api.call('POST /api/apps/:appId/webhooks/:endpointId/example', {
        ...{ appId: app.id, endpointId: endpoint.id, body },
      }),
    async () => {
      onClose();
      await onDone();
    },
  );
  return (
    <FormDialog
      title="Send example"
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Send example"
    >
      <p>
        The endpoint gets a signed webhook with made-up values and <code>"test": true</code>.
      </p>
      <SelectField name="type" label="Event type" options={types.map(({ name }) => name)} />
    </FormDialog>
  );
}

const hourMs = 3_600_000;

const periods: Record<string, number> = {
  'the last hour': hourMs,
  'the last 24 hours': 24 * hourMs,
  'the last 3 days': 72 * hourMs,
  'the last 7 days': 168 * hourMs,
};

export function ResendFailedDialog({ endpoint, onClose, onDone }: DialogProps) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({ period: 'the last 24 hours' });
  const onSubmit = form.submit(
    ({ period }) =>
      api.call('POST /api/apps/:appId/webhooks/:endpointId/resend-failed', {
        ...{ appId: app.id, endpointId: endpoint.id },
        body: { since: Date.now() - (periods[period] ?? 0) },
      }),
    async () => {
      onClose();
      await onDone();
    },
  );
  return (
    <FormDialog
      title="Resend failed deliveries"
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Resend failed"
    >
      <p>
        {countDeliveries(endpoint.failed)}{' '}
        {endpoint.failed === 1 ? 'delivery has' : 'deliveries have'} failed in the last 7 days. At
        most 10,000 are sent again at once. Each one keeps its <code>webhook-id</code>, so a
        receiver that got it already can ignore it.
      </p>
      <SelectField name="period" label="Events of" options={Object.keys(periods)} />
    </FormDialog>
  );
}
