import { useState } from 'react';
import { areSingleKeysOn, keyHelp, setSingleKeys } from '../keyboard';
import { Dialog } from '../parts/dialog';

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="key-help">
        {keyHelp.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd className="key">{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setOn(event.target.checked);
            setSingleKeys(event.target.checked);
          }}
        />
        Enable single-key shortcuts outside fields
      </label>
    </Dialog>
  );
}
