import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { IntegrationAnswer } from '../../api/integrations';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { formatFull } from '../dates';
import { plural } from '../format';
import { Button, Link } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icons';
import { ProblemNote } from '../parts/notes';
import { buildPath } from '../route';
import { HealthFacts, HealthMark } from './health';
import { getProviderLabel } from './integration-list';

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
        <h2 className="cut">{integration.name}</h2>
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
      <div className="line small">
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
        <dt>Added</dt>
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
            <Link key={eventId} className="mono used-by" to={buildPath(app.id, 'events', eventId)}>
              {name}
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
  const [warning, setWarning] = useState<PageProblem>();
  const only = integration.usedBy.filter(
    ({ isOnly, in: where }) => isOnly && where.includes('live'),
  );
  async function remove() {
    const answer = await api.call('DELETE /api/apps/:appId/integrations/:id', {
      appId: app.id,
      id: integration.id,
      body: { confirm: warning !== undefined },
    });
    if ('value' in answer) await onRemoved();
    else setWarning(answer.problem);
  }
  return (
    <Dialog title={`Remove ${integration.name}`} onClose={onClose}>
      <p>
        This deletes its credentials. The log keeps its name.
        {integration.waiting > 0 &&
          ` ${plural(integration.waiting, 'waiting message')} will fail as integration_removed.`}
      </p>
      {only.length > 0 && (
        <p>
          It is the only integration of its channel in {only.map(({ name }) => name).join(', ')}.
          Without it, these events send nothing on that channel.
        </p>
      )}
      <ProblemNote problem={warning} />
      <div className="dialog-foot">
        <Button look="danger" onClick={() => void remove()}>
          {warning?.code === 'needs_confirmation' ? 'Remove anyway' : 'Remove integration'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
