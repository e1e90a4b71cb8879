import { useState } from 'react';
import type {
  WebhookDeliveryAnswer,
  WebhookEndpointAnswer,
  WebhookTryAnswer,
} from '../../api/webhooks';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { formatFull } from '../dates';
import { duration, plural } from '../format';
import { CodeBlock, JsonBlock } from '../parts/code';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Moment } from '../parts/moment';
import { ProblemNote } from '../parts/notes';
import { buildPath } from '../route';
import { DeliveryState, needsEnabled } from './endpoint-state';
import styles from './webhooks.module.css';

type RowProps = {
  endpoint: WebhookEndpointAnswer;
  delivery: WebhookDeliveryAnswer;
  onChanged: () => Promise<void>;
};

/** One delivery; opened, it shows its request and the answer to each try. */
export function DeliveryRow(props: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, type, outcome, occurredAt, tries } = props.delivery;
  const error = tries.at(-1)?.error;
  return (
    <li className={styles.delivery}>
      <button
        type="button"
        className={styles.head}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <span className="mono cut" title={type}>
          {type}
        </span>
        <DeliveryState outcome={outcome} />
        <span className={`${styles.last} faint`}>{outcome !== 'delivered' && error}</span>
        <span className="num">
          <Moment at={occurredAt} />
        </span>
        <span className="vh"> {id}</span>
      </button>
      {isOpen && <DeliveryBody {...props} />}
    </li>
  );
}

function DeliveryBody({ endpoint, delivery, onChanged }: RowProps) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  const { id, nextAt, tries, body } = delivery;
  const requestId = getRequestId(body);
  async function resend() {
    const answer = await api.call(
      'POST /api/apps/:appId/webhooks/:endpointId/deliveries/:deliveryId/resend',
      { appId: app.id, endpointId: endpoint.id, deliveryId: id },
    );
    if ('problem' in answer) return setProblem(answer.problem);
    setProblem(undefined);
    await onChanged();
  }
  return (
    <div className={styles.body}>
      <ProblemNote problem={problem} />
      <p className={styles.facts}>
        <span className="grow">{describeProgress(delivery, endpoint.state)}</span>
        {requestId !== undefined && (
          <Link to={buildPath(app.id, 'log', requestId)}>Show in log</Link>
        )}
        {mayChange && (
          <Button look="small" {...needsEnabled(endpoint)} onClick={() => void resend()}>
            {nextAt === null ? 'Resend' : 'Send now'}
          </Button>
        )}
      </p>
      <JsonBlock title={`POST ${endpoint.url}`} value={body} />
      <p className="faint small">
        <code>webhook-id: {id}</code>
      </p>
      <ol className={styles.tries} aria-label="Tries">
        {tries.map((entry) => (
          <Try key={entry.at} entry={entry} />
        ))}
      </ol>
    </div>
  );
}

/** The request in the log that the event is about. Events about an integration, a device or an alert have none. */
function getRequestId({ data, test }: WebhookDeliveryAnswer['body']): string | undefined {
  const { request_id } = (data ?? {}) as { request_id?: unknown };
  return test !== true && typeof request_id === 'string' ? request_id : undefined;
}

function describeProgress(
  { outcome, nextAt, tries }: WebhookDeliveryAnswer,
  state: WebhookEndpointAnswer['state'],
): string {
  const count = plural(tries.length, 'try', 'tries');
  if (outcome === 'delivered') return `Delivered after ${count}.`;
  if (nextAt === null) return `Not delivered after ${count}.`;
  if (state === 'disabled') return `${count}. It waits until the endpoint is enabled.`;
  if (nextAt > Date.now()) return `${count}. The next one is due at ${formatFull(nextAt)}.`;
  if (state === 'active') return `${count}. The next one is due now.`;
  return `${count}. It is due. After 5 failures in a row, Belfry tries one delivery every 30 s to 10 min until one succeeds.`;
}

function Try({ entry }: { entry: WebhookTryAnswer }) {
  const { at, ms, answer } = entry;
  return (
    <li>
      <p>
        <Moment at={at} />: {describeEnd(entry)} <span className="faint">after {duration(ms)}</span>
      </p>
      {answer !== null && <CodeBlock title="Answer" text={answer} />}
    </li>
  );
}

function describeEnd({ status, error }: WebhookTryAnswer): string {
  return error ?? `HTTP status ${status}.`;
}
