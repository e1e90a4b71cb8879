import { useHref } from 'react-router';
import { useSession } from '../context';
import { Mark } from '../parts/state-mark';

/** Shown on every page of an app whose account is at its storage limit: the gateway refuses its calls. */
export function StorageBar() {
  const { app } = useSession();
  const href = useHref('/docs/how-to/limit-storage.md');
  if (!app?.isStorageFull) return null;
  return (
    <div className="away" role="status">
      <Mark name="attention" />
      <span className="grow">
        <b>The storage limit of the account is reached.</b> Sends get 429 <code>storage_limit</code>
        . Accepted messages are still sent.
      </span>
      <a className="btn small" href={href} target="_blank" rel="noreferrer">
        What to do
      </a>
    </div>
  );
}
