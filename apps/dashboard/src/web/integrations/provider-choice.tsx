import type { ChannelForm, ProviderForm } from '../../api/registry';
import { useDesk } from '../context';
import { channelIcon, Icon } from '../parts/icons';

type Chosen = { channel: ChannelForm; provider: ProviderForm };

export function ProviderChoice({
  chosen,
  onChoose,
}: {
  chosen: Chosen | undefined;
  onChoose: (chosen: Chosen) => void;
}) {
  const { registry } = useDesk();
  const all = registry.channels
    .filter(({ isBuiltIn }) => !isBuiltIn)
    .flatMap((channel) => channel.providers.map((provider) => ({ channel, provider })));
  const isChosen = (one: Chosen) =>
    one.channel.channel === chosen?.channel.channel &&
    one.provider.provider === chosen.provider.provider;
  return (
    <div className="d-head">
      <h2 className="plain">Add integration</h2>
      <fieldset className="providers">
        <legend className="vh">Provider</legend>
        {all.map((one) => (
          <label key={`${one.channel.channel} ${one.provider.provider}`}>
            <input
              type="radio"
              name="provider"
              checked={isChosen(one)}
              onChange={() => onChoose(one)}
            />
            <Icon name={channelIcon(one.channel.channel)} />
            <span>
              <b>{one.provider.label}</b>
              <small>{one.channel.channel}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}
