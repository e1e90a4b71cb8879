import { Mark } from './state-mark';

/** Says which parameters of the link were ignored. */
export function IgnoredParams({ ignored }: { ignored: readonly string[] }) {
  if (ignored.length === 0) return null;
  return (
    <div className="away" role="status">
      <Mark name="attention" />
      <span className="grow">{ignored.join(' ')}</span>
    </div>
  );
}
