import { useAnswer, useApp, useSession } from '../context';
import { channelIcon, Icon } from '../parts/icons';
import { withChannel } from './definition';
import type { Draft } from './use-draft';

/** The channels that a draft does not have, and what adds one: with its integration, where there is no other to choose. */
export function useAddChannel(draft: Draft, onTab: (tab: string) => void) {
  const app = useApp();
  const { registry } = useSession();
  const list = useAnswer(`integrations ${app.id}`, (api) => api.listIntegrations(app.id));
  const { definition } = draft;
  const names = registry.channels.map(({ channel }) => channel);
  const { defaultPolicy } = registry;
  return {
    /** Whether its integrations are known, or cannot be. */
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

/** What an event begins with. */
export function FirstChannel({ draft, onTab }: { draft: Draft; onTab: (tab: string) => void }) {
  const { isReady, availableChannels, add } = useAddChannel(draft, onTab);
  return (
    <div className="empty">
      <h2>Where does this event go?</h2>
      <p>
        Choose its first channel. A call of the event goes to every channel that has a template here
        and an address in the call; more can be added at any time.
      </p>
      <ul className="providers">
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
