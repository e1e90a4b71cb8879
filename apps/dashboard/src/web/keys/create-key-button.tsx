import { useId } from 'react';
import { Button } from '../parts/controls';
import styles from './create-key-button.module.css';

/** A disabled button cannot be focused or touched for a tooltip, so its reason is a text. */
export function CreateKeyButton({
  obstacle,
  onCreate,
}: {
  obstacle: string | undefined;
  onCreate: () => void;
}) {
  const id = useId();
  return (
    <div className={styles.create}>
      <Button
        look="main-action"
        disabled={obstacle !== undefined}
        aria-describedby={obstacle && id}
        onClick={onCreate}
      >
        Create API key
      </Button>
      {obstacle && (
        <p id={id} className="hint">
          {obstacle}
        </p>
      )}
    </div>
  );
}
