import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';
import { withChain } from './definition';
import styles from './editor.module.css';
import type { Draft } from './use-draft';

/** The failover chain: the primary integration, then the next one after a failure that certainly sent nothing. */
export function ChainEditor({ channel, draft }: { channel: string; draft: Draft }) {
  const app = useApp();
  const { mayChange } = useSession();
  const list = useAnswer('GET /api/apps/:appId/integrations', { appId: app.id });
  const all = (list.value?.integrations ?? []).filter((one) => one.channel === channel);
  const chain = draft.definition.channels[channel]?.integrationIds ?? [];
  const availableIntegrations = all.filter(({ id }) => !chain.includes(id));
  const set = (ids: string[]) => draft.set(withChain(draft.definition, channel, ids));
  return (
    <>
      <span>Sent through</span>
      <div className={styles.chain}>
        {chain.map((id, at) => (
          <span key={id} className={styles.chainLink}>
            {at > 0 && <Icon name="right" size={12} />}
            <ChainTag
              name={all.find((one) => one.id === id)?.name ?? 'removed integration'}
              state={all.find((one) => one.id === id)?.state}
              {...(mayChange ? { onRemove: () => set(chain.filter((one) => one !== id)) } : {})}
              {...(mayChange && at > 0
                ? { onFirst: () => set([id, ...chain.filter((one) => one !== id)]) }
                : {})}
            />
          </span>
        ))}
        {mayChange && availableIntegrations.length > 0 && (
          <label className="chip">
            {chain.length === 0 ? 'Choose integration' : 'then'}
            <select
              aria-label="Add integration to the failover chain"
              value=""
              onChange={({ target }) => target.value && set([...chain, target.value])}
            >
              <option value="">Add integration</option>
              {availableIntegrations.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {list.value && all.length === 0 && (
          <span className="faint">
            {app.delivery === 'sandbox' ? 'the sandbox. ' : ''}
            <Link to={buildPath(app.id, 'integrations', 'new')}>Add {channel} integration</Link>
          </span>
        )}
      </div>
    </>
  );
}

function ChainTag({
  name,
  state,
  onRemove,
  onFirst,
}: {
  name: string;
  state: string | undefined;
  onRemove?: () => void;
  onFirst?: () => void;
}) {
  return (
    <span className="tag mono">
      {state === 'needs_attention' && <Mark name="attention" size={12} />}
      {state === 'paused' && <Mark name="paused" size={12} />}
      {name}
      {onFirst && (
        <Button
          look="bare tiny"
          aria-label={`Make ${name} primary`}
          title="Make primary"
          onClick={onFirst}
        >
          <Icon name="up" size={11} />
        </Button>
      )}
      {onRemove && (
        <Button look="bare tiny" aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
          <Icon name="x" size={11} />
        </Button>
      )}
    </span>
  );
}
