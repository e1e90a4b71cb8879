import type { WebhookEndpointAnswer } from '../../api/webhooks';
import { useApp, useSession } from '../context';
import { plural } from '../format';
import { Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { NoteBox } from '../parts/notes';
import { buildPath } from '../route';
import { countDeliveries, EndpointState } from './endpoint-state';
import styles from './webhooks.module.css';

export function EndpointList({
  endpoints,
  isNone,
  openId,
}: {
  endpoints: WebhookEndpointAnswer[];
  isNone: boolean;
  openId: string | undefined;
}) {
  return (
    <section className={`pane ${styles.list}`} aria-label="Endpoints">
      {isNone && <NoEndpoint />}
      {!isNone && (
        <ul>
          {endpoints.map((endpoint) => (
            <Card key={endpoint.id} endpoint={endpoint} isOpen={endpoint.id === openId} />
          ))}
        </ul>
      )}
      {!isNone && endpoints.length === 0 && <p className="nothing">No matching endpoints.</p>}
    </section>
  );
}

function NoEndpoint() {
  const app = useApp();
  const { mayChange } = useSession();
  return (
    <div className="empty">
      <h2>No webhook endpoints yet</h2>
      <p>
        A webhook tells your backend what became of a message: sent, delivered, read, failed,
        skipped or unknown. Enter a URL of your backend, and check the signature of each call.
      </p>
      {mayChange && (
        <p>
          <Link className="btn main-action" to={buildPath(app.id, 'webhooks', 'new')}>
            Create endpoint
          </Link>
        </p>
      )}
    </div>
  );
}

function Card({ endpoint, isOpen }: { endpoint: WebhookEndpointAnswer; isOpen: boolean }) {
  const app = useApp();
  const { id, url, description, types, waiting, failed, state } = endpoint;
  return (
    <li className={styles.card} aria-current={isOpen ? 'true' : undefined}>
      <span className={styles.picture}>
        <Icon name="webhook" />
      </span>
      <div>
        <Link to={buildPath(app.id, 'webhooks', id)}>
          <b className="mono">
            <Name text={url} />
          </b>
        </Link>
        <small>{description || plural(types.length, 'event type')}</small>
      </div>
      <small className="num">{listCounts(waiting, failed)}</small>
      <EndpointState state={state} />
      {state === 'disabled' && (
        <NoteBox tone="red" title="Disabled.">
          {endpoint.disabledReason}
        </NoteBox>
      )}
      {state === 'failing' && (
        <NoteBox tone="amber" title="The last call failed.">
          {endpoint.lastError}
        </NoteBox>
      )}
    </li>
  );
}

function listCounts(waiting: number, failed: number): string {
  return [
    waiting > 0 && `${countDeliveries(waiting)} waiting`,
    failed > 0 && `${countDeliveries(failed)} failed`,
  ]
    .filter(Boolean)
    .join(', ');
}
