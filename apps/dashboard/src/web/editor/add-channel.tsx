import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { channelIcon, Icon } from '../parts/icons';
import { withChannel } from './definition';
import styles from './editor.module.css';
import type { Draft } from './use-draft';

/** The channels that a draft can add. A new channel gets its integration if there is only one. */
export function useAddChannel(draft: Draft, onTab: (tab: string) => void) {
  const app = useApp();
  const { registry } = useSession();
  const list = useAnswer('GET /api/apps/:appId/integrations', { appId: app.id });
  const { definition } = draft;
  const names = registry.channels.map(({ channel }) => channel);
  const { defaultPolicy } = registry;
  return {
    /** Whether loading the integrations has finished or failed. */
    isReady: list.value !== undefined || list.problem !== undefined,
    availableChannels: names.filter((channel) => !(channel in definition.channels)),
    add(channel: string) {
      const own = (list.value?.integrations ?? []).filter((one) => one.channel === channel);
      const integrationIds = own.length === 1 ? own.map(({ id }) => id) : [];
      draft.set(withChannel(definition, { channel, defaultPolicy, integrationIds }));
      onTab(channel);
    },
  };
}

/** Shown for an event without channels. */
export function FirstChannel({ draft, onTab }: { draft: Draft; onTab: (tab: string) => void }) {
  const { isReady, availableChannels, add } = useAddChannel(draft, onTab);
  return (
    <div className="empty">
      <h2>Choose a channel</h2>
      <p>
        The event is sent on every channel that has a template here and an address in the call. You
        can add more channels at any time.
      </p>
      <ul className={styles.channels}>
        {availableChannels.map((channel) => (
          <li key={channel}>
            <button type="button" disabled={!isReady} onClick={() => add(channel)}>
              <Icon name={channelIcon(channel)} />
              <span>{channel}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
