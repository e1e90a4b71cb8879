import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import type { WebhookEndpointAnswer } from '../../api/webhooks';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { formatFull } from '../dates';
import { plural } from '../format';
import { Button } from '../parts/controls';
import { FormDialog } from '../parts/form-dialog';
import { Name } from '../parts/name';
import { NoteBox, ProblemNote } from '../parts/notes';
import { useForm } from '../parts/use-form';
import { buildPath } from '../route';
import { countDeliveries, EndpointState } from './endpoint-state';
import styles from './webhooks.module.css';

type HeadProps = {
  endpoint: WebhookEndpointAnswer;
  onSecret: (secret: string) => void;
  onChanged: () => Promise<void>;
};

export function EndpointHead({ children, ...props }: HeadProps & { children: ReactNode }) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [step, setStep] = useState<'rotate' | 'remove'>();
  const [problem, setProblem] = useState<PageProblem>();
  const { endpoint, onChanged } = props;
  const isDisabled = endpoint.state === 'disabled';
  async function toggle() {
    const answer = await api.call('PATCH /api/apps/:appId/webhooks/:endpointId', {
      ...{ appId: app.id, endpointId: endpoint.id },
      body: { isEnabled: isDisabled },
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  return (
    <div className="d-head">
      <div className="line">
        <h2>
          <Name text={endpoint.url} />
        </h2>
        <span className="grow" />
        {children}
      </div>
      <div className={`line small ${styles.buttons}`}>
        <EndpointState state={endpoint.state} />
        <span className="grow" />
        {mayChange && (
          <>
            <Button look="small" onClick={() => void toggle()}>
              {isDisabled ? 'Enable' : 'Disable'}
            </Button>
            <Button look="small" onClick={() => setStep('rotate')}>
              Rotate secret
            </Button>
            <Button look="small" onClick={() => setStep('remove')}>
              Remove
            </Button>
          </>
        )}
      </div>
      <ProblemNote problem={problem} />
      <Health endpoint={endpoint} />
      <HeadFacts endpoint={endpoint} />
      {step === 'rotate' && <RotateDialog {...props} onClose={() => setStep(undefined)} />}
      {step === 'remove' && <RemoveDialog {...props} onClose={() => setStep(undefined)} />}
    </div>
  );
}

function Health({ endpoint }: Pick<HeadProps, 'endpoint'>) {
  const { state, disabledReason, failingSince, lastError } = endpoint;
  if (state === 'active') return null;
  if (state === 'failing') {
    return (
      <NoteBox tone="amber" title={`Failing since ${formatFull(failingSince ?? 0)}`}>
        {lastError} After 5 days of failures, Belfry disables the endpoint.
      </NoteBox>
    );
  }
  return (
    <NoteBox tone="red" title="Disabled">
      {disabledReason} {!disabledReason?.includes(lastError ?? '') && lastError} New events are not
      queued. Enable it, then resend the failed deliveries.
    </NoteBox>
  );
}

function HeadFacts({ endpoint }: Pick<HeadProps, 'endpoint'>) {
  const { description, types, createdAt, previousSecretEndsAt } = endpoint;
  return (
    <dl className="facts">
      {description && (
        <div>
          <dt>Description</dt>
          <dd>{description}</dd>
        </div>
      )}
      <div>
        <dt>Gets</dt>
        <dd>{plural(types.length, 'event type')}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>{formatFull(createdAt)}</dd>
      </div>
      {previousSecretEndsAt !== null && (
        <div>
          <dt>Previous secret</dt>
          <dd>signs too until {formatFull(previousSecretEndsAt)}</dd>
        </div>
      )}
    </dl>
  );
}

function RotateDialog({
  endpoint,
  onSecret,
  onChanged,
  onClose,
}: HeadProps & { onClose: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({});
  const onSubmit = form.submit(
    () =>
      api.call('POST /api/apps/:appId/webhooks/:endpointId/rotate', {
        ...{ appId: app.id, endpointId: endpoint.id },
      }),
    async ({ secret }) => {
      onSecret(secret);
      onClose();
      await onChanged();
    },
  );
  return (
    <FormDialog
      title="Rotate signing secret"
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Rotate secret"
    >
      <p>
        For 24 hours, each webhook is signed with the new and the current secret, so your backend
        can switch without a gap. An older secret stops signing now.
      </p>
    </FormDialog>
  );
}

function RemoveDialog({ endpoint, onChanged, onClose }: HeadProps & { onClose: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const form = useForm({});
  const onSubmit = form.submit(
    () =>
      api.call('DELETE /api/apps/:appId/webhooks/:endpointId', {
        ...{ appId: app.id, endpointId: endpoint.id },
      }),
    async () => {
      onClose();
      await onChanged();
      void navigate(buildPath(app.id, 'webhooks'));
    },
  );
  return (
    <FormDialog
      title="Remove endpoint"
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Remove endpoint"
      isDanger
    >
      <p>
        {endpoint.url} gets no more webhooks, and its deliveries are no longer shown.
        {endpoint.waiting > 0 &&
          ` ${countDeliveries(endpoint.waiting)} waiting ${endpoint.waiting === 1 ? 'delivery' : 'deliveries'} will not be sent.`}
      </p>
    </FormDialog>
  );
}
