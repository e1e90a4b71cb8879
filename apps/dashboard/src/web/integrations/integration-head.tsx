import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { IntegrationAnswer } from '../../api/integrations';
import { describeWaitingHarm } from '../../api/waiting-harm';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { formatFull } from '../dates';
import { Button, Link } from '../parts/controls';
import { FormDialog } from '../parts/form-dialog';
import { Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { ProblemNote } from '../parts/notes';
import { useForm } from '../parts/use-form';
import { buildPath } from '../route';
import { HealthFacts, HealthMark } from './health';
import { getProviderLabel } from './integration-list';
import styles from './integrations.module.css';

export function IntegrationHead({
  integration,
  onChanged,
}: {
  integration: IntegrationAnswer;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const { mayChange, registry } = useSession();
  const [isRemoving, setRemoving] = useState(false);
  const [problem, setProblem] = useState<PageProblem>();
  const isPaused = integration.state === 'paused';
  async function togglePause() {
    const answer = await api.call(
      `POST /api/apps/:appId/integrations/:id/${isPaused ? 'resume' : 'pause'}`,
      { appId: app.id, id: integration.id },
    );
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  return (
    <div className="d-head">
      <div className="line">
        <h2>
          <Name text={integration.name} />
        </h2>
        <span className="tag">{getProviderLabel(registry, integration)}</span>
        <span className="grow" />
        {mayChange && (
          <>
            <Button look="small" onClick={() => void togglePause()}>
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
            <Button look="small" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          </>
        )}
        <Button
          look="small bare icon"
          aria-label="Close"
          title="Close"
          onClick={() => navigate(buildPath(app.id, 'integrations'))}
        >
          <Icon name="x" />
        </Button>
      </div>
      <div className={`line small ${styles.verdict}`}>
        <HealthMark health={integration.health} />
        {integration.stateReason && <span className="dim">{integration.stateReason}</span>}
      </div>
      <ProblemNote problem={problem} />
      <HealthFacts health={integration.health} />
      <HeadFacts integration={integration} />
      {isRemoving && (
        <RemoveDialog
          integration={integration}
          onClose={() => setRemoving(false)}
          onRemoved={async () => {
            setRemoving(false);
            await onChanged();
            void navigate(buildPath(app.id, 'integrations'));
          }}
        />
      )}
    </div>
  );
}

function HeadFacts({ integration }: { integration: IntegrationAnswer }) {
  const app = useApp();
  return (
    <dl className="facts">
      <div>
        <dt>Created</dt>
        <dd>{formatFull(integration.createdAt)}</dd>
      </div>
      <div>
        <dt>Changed</dt>
        <dd>{formatFull(integration.updatedAt)}</dd>
      </div>
      <div>
        <dt>Used by</dt>
        <dd>
          {integration.usedBy.length === 0 && 'no events'}
          {integration.usedBy.map(({ eventId, name, in: where }) => (
            <Link
              key={eventId}
              className={`mono ${styles.event}`}
              to={buildPath(app.id, 'events', eventId)}
            >
              <Name text={name} />
              {!where.includes('live') && ' (draft)'}
            </Link>
          ))}
        </dd>
      </div>
    </dl>
  );
}

function RemoveDialog({
  integration,
  onClose,
  onRemoved,
}: {
  integration: IntegrationAnswer;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({});
  const mustConfirm = form.problem?.code === 'needs_confirmation';
  const only = integration.usedBy.filter(
    ({ isOnly, in: where }) => isOnly && where.includes('live'),
  );
  const onSubmit = form.submit(
    () =>
      api.call('DELETE /api/apps/:appId/integrations/:id', {
        appId: app.id,
        id: integration.id,
        body: { confirm: mustConfirm },
      }),
    onRemoved,
  );
  return (
    <FormDialog
      title={`Remove ${integration.name}`}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action={mustConfirm ? 'Remove anyway' : 'Remove integration'}
      isDanger
    >
      <p>
        This deletes its credentials. The log keeps its name.{' '}
        {describeWaitingHarm(integration).join(' ')}
      </p>
      {only.length > 0 && (
        <p>
          It is the only integration of its channel in {only.map(({ name }) => name).join(', ')}.
          Without it, {only.length === 1 ? 'this event sends' : 'these events send'} nothing on that
          channel.
        </p>
      )}
    </FormDialog>
  );
}
