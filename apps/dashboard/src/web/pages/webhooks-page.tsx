import { type ComponentProps, useState } from 'react';
import { useNavigate } from 'react-router';
import type { WebhookEndpointAnswer } from '../../api/webhooks';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { Divider } from '../parts/divider';
import { ListPage } from '../parts/list-page';
import { Waiting } from '../parts/notes';
import { buildPath } from '../route';
import { EndpointList } from '../webhooks/endpoint-list';
import { EndpointPane, NewEndpointPane } from '../webhooks/endpoint-pane';
import styles from '../webhooks/webhooks.module.css';

const readEveryMs = 10_000;
/** Like `--pane` of webhooks.module.css. */
const panePx = 560;

/** The URLs that get webhooks of the app, and their deliveries. */
export function WebhooksPage({ openId }: { openId: string | undefined }) {
  const app = useApp();
  const navigate = useNavigate();
  const { reloadApps } = useSession();
  const [text, setText] = useState('');
  const list = useAnswer(
    'GET /api/apps/:appId/webhooks',
    { appId: app.id },
    { everyMs: readEveryMs },
  );
  const all = list.value?.endpoints ?? [];
  const visibleEndpoints = all.filter((each) => matches(each, text.trim().toLowerCase()));
  const open = all.find(({ id }) => id === openId);
  const types = list.value?.types ?? [];
  const isFull = list.value !== undefined && all.length >= list.value.maxEndpoints;
  async function reload() {
    await Promise.all([list.reload(), reloadApps()]);
  }
  return (
    <ListPage
      finds="Find endpoint"
      placeholder="URL, description, state"
      text={text}
      onText={setText}
      loaded={list}
      reload={list.reload}
      create={{
        text: 'Create endpoint',
        problem: isFull ? `An app can have ${all.length} endpoints.` : undefined,
        onClick: () => void navigate(buildPath(app.id, 'webhooks', 'new')),
      }}
    >
      <div className={`${styles.panes} ${openId ? 'body open' : 'body'}`}>
        {list.value ? (
          <EndpointList endpoints={visibleEndpoints} isNone={all.length === 0} openId={openId} />
        ) : (
          <Waiting loaded={list} reload={list.reload} what="webhooks" />
        )}
        <OpenPane endpoint={open} isNew={openId === 'new'} types={types} onChanged={reload} />
        {openId && <Divider name="webhooks" side="last" initialPx={panePx} />}
      </div>
    </ListPage>
  );
}

type OpenPaneProps = {
  endpoint: WebhookEndpointAnswer | undefined;
  isNew: boolean;
  types: ComponentProps<typeof NewEndpointPane>['types'];
  onChanged: () => Promise<void>;
};

/** The form of a new endpoint, or the open endpoint. */
function OpenPane({ endpoint, isNew, types, onChanged }: OpenPaneProps) {
  const app = useApp();
  const navigate = useNavigate();
  /** Shown once, after an endpoint was added or its secret rotated. */
  const [secret, setSecret] = useState<{ endpointId: string; secret: string }>();
  if (isNew && types.length > 0) {
    return (
      <NewEndpointPane
        types={types}
        onCreated={async (endpointId, created) => {
          setSecret({ endpointId, secret: created });
          await onChanged();
          void navigate(buildPath(app.id, 'webhooks', endpointId));
        }}
      />
    );
  }
  if (!endpoint) return null;
  const { id } = endpoint;
  return (
    <EndpointPane
      key={id}
      endpoint={endpoint}
      types={types}
      secret={secret?.endpointId === id ? secret.secret : undefined}
      onSecret={(next) =>
        setSecret(next === undefined ? undefined : { endpointId: id, secret: next })
      }
      onChanged={onChanged}
    />
  );
}

function matches({ url, description, state }: WebhookEndpointAnswer, text: string): boolean {
  return `${url} ${description} ${state}`.toLowerCase().includes(text);
}
