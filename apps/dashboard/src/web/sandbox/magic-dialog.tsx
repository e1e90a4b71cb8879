import { useState } from 'react';
import { useSession } from '../context';
import { CopyButton } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { channelIcon, Icon } from '../parts/icons';

/** Recipients that behave in another way, so that a failure can be tried. */
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
        In sandbox delivery a message to any address is accepted. To these it fails, waits or
        arrives as they say. On e-mail only what stands before the @ counts.
      </p>
      <fieldset className="magic-channels" aria-label="Channel">
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
      <dl className="magic">
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
