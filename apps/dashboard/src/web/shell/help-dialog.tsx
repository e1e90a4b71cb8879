import { useState } from 'react';
import { areSingleKeysOn, keyHelp, setSingleKeys } from '../keyboard';
import { Dialog } from '../parts/dialog';
import styles from './help-dialog.module.css';
import { appPages } from './side-bar';

const pageKeys = appPages.map(({ keys, text }) => [keys, text] as const);

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={styles.keys}>
        {[...pageKeys, ...keyHelp].map(([keys, text]) => (
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
