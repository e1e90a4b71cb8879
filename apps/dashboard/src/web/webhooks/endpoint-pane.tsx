import { useNavigate } from 'react-router';
import type { WebhookEndpointAnswer, WebhookListAnswer } from '../../api/webhooks';
import { useApp, useServices } from '../context';
import { useKeys } from '../keyboard';
import { CodeBlock } from '../parts/code';
import { Button, Tabs } from '../parts/controls';
import { Icon } from '../parts/icons';
import { buildPath } from '../route';
import { DeliveryList } from './delivery-list';
import { EndpointForm } from './endpoint-form';
import { EndpointHead } from './endpoint-head';
import { useTab } from './use-tab';
import styles from './webhooks.module.css';

type Types = WebhookListAnswer['types'];

export function NewEndpointPane({
  types,
  onCreated,
}: {
  types: Types;
  onCreated: (endpointId: string, secret: string) => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  return (
    <section className={`pane ${styles.side}`} aria-label="Create endpoint">
      <div className="d-head">
        <div className="line">
          <h2 className="plain cut">Create endpoint</h2>
          <span className="grow" />
          <CloseButton />
        </div>
      </div>
      <EndpointForm
        stored={undefined}
        types={types}
        action="Create endpoint"
        send={(body) => api.call('POST /api/apps/:appId/webhooks', { appId: app.id, body })}
        toEndpoint={({ endpoint }) => endpoint}
        onDone={({ endpoint, secret }) => onCreated(endpoint.id, secret)}
      />
    </section>
  );
}

/** One endpoint: its deliveries, and its settings. */
export function EndpointPane({
  endpoint,
  types,
  secret,
  onSecret,
  onChanged,
}: {
  endpoint: WebhookEndpointAnswer;
  types: Types;
  /** Shown once. */
  secret: string | undefined;
  onSecret: (secret: string | undefined) => void;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const [tab, setTab] = useTab();
  const place = { appId: app.id, endpointId: endpoint.id };
  return (
    <section className={`pane ${styles.side}`} aria-label={endpoint.url}>
      <EndpointHead endpoint={endpoint} onSecret={onSecret} onChanged={onChanged}>
        <CloseButton />
      </EndpointHead>
      {secret !== undefined && <SecretNote secret={secret} onHide={() => onSecret(undefined)} />}
      <Tabs
        label="Endpoint"
        tabs={[
          { id: 'deliveries', content: 'Deliveries' },
          { id: 'settings', content: 'Settings' },
        ]}
        current={tab}
        onChange={setTab}
      />
      <div className={styles.tab} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'deliveries' && (
          <DeliveryList endpoint={endpoint} types={types} onChanged={onChanged} />
        )}
        {tab === 'settings' && (
          <EndpointForm
            stored={endpoint}
            types={types}
            action="Save"
            send={(_values, body) =>
              api.call('PATCH /api/apps/:appId/webhooks/:endpointId', { ...place, body })
            }
            toEndpoint={(changed) => changed}
            onDone={onChanged}
          />
        )}
      </div>
    </section>
  );
}

function CloseButton() {
  const app = useApp();
  const navigate = useNavigate();
  const close = () => void navigate(buildPath(app.id, 'webhooks'));
  useKeys({ Escape: close });
  return (
    <Button look="small bare icon" aria-label="Close" title="Close (Esc)" onClick={close}>
      <Icon name="x" />
    </Button>
  );
}

function SecretNote({ secret, onHide }: { secret: string; onHide: () => void }) {
  return (
    <div className="pad">
      <CodeBlock title="Signing secret" text={secret}>
        {secret}
      </CodeBlock>
      <p className="faint small">
        This secret is not shown again. Your backend checks the signature of each call with it.{' '}
        <Button look="small" onClick={onHide}>
          Hide
        </Button>
      </p>
    </div>
  );
}
