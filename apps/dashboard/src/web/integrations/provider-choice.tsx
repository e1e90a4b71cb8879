import { useNavigate } from 'react-router';
import { useApp, useSession } from '../context';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { buildPath } from '../route';
import type { ProviderSelection } from './form-values';
import styles from './integrations.module.css';

export function ProviderChoice({
  selection,
  onChoose,
}: {
  selection: ProviderSelection | undefined;
  onChoose: (selection: ProviderSelection) => void;
}) {
  const app = useApp();
  const navigate = useNavigate();
  const { registry } = useSession();
  const all = registry.channels
    .filter(({ isBuiltIn }) => !isBuiltIn)
    .flatMap((channel) => channel.providers.map((provider) => ({ channel, provider })));
  const isSelected = (one: ProviderSelection) =>
    one.channel.channel === selection?.channel.channel &&
    one.provider.provider === selection.provider.provider;
  return (
    <div className="d-head">
      <div className="line">
        <h2 className="plain">Create integration</h2>
        <span className="grow" />
        <Button
          look="small bare icon"
          aria-label="Close"
          title="Close"
          onClick={() => navigate(buildPath(app.id, 'integrations'))}
        >
          <Icon name="x" />
        </Button>
      </div>
      <fieldset className={styles.providers}>
        <legend className="vh">Provider</legend>
        {all.map((one) => (
          <label key={`${one.channel.channel} ${one.provider.provider}`}>
            <input
              type="radio"
              name="provider"
              checked={isSelected(one)}
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
