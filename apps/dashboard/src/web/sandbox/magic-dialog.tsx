import { useState } from 'react';
import { useSession } from '../context';
import { CopyButton } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { channelIcon, Icon } from '../parts/icons';
import styles from './sandbox.module.css';

/** Recipients with special behaviour, to test failures. */
export function MagicDialog({ onClose }: { onClose: () => void }) {
  const { registry } = useSession();
  const [channel, setChannel] = useState('email');
  const rows = registry.magicRecipients.flatMap(({ sentence, addresses }) => {
    const address = addresses[channel];
    return address === undefined ? [] : [{ sentence, address }];
  });
  return (
    <Dialog title="Magic recipients" onClose={onClose} isWide>
      <p className="dim">
        With sandbox delivery, a message to any address is accepted. Messages to these recipients
        fail, wait or are delivered as described. For e-mail, only the part before the @ counts.
      </p>
      <fieldset className={styles.channels} aria-label="Channel">
        {registry.channels.map((each) => (
          <button
            key={each.channel}
            type="button"
            className="btn small"
            aria-pressed={each.channel === channel}
            onClick={() => setChannel(each.channel)}
          >
            <Icon name={channelIcon(each.channel)} size={14} />
            {each.channel}
          </button>
        ))}
      </fieldset>
      <dl className={styles.magic}>
        {rows.map(({ sentence, address }) => (
          <div key={address}>
            <dt>
              <code>{address}</code>
              <CopyButton text={address} label={`Copy ${address}`} look="small bare icon" />
            </dt>
            <dd>{sentence}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
