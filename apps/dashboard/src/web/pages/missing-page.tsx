import { Link } from '../parts/controls';

export function MissingPage() {
  return (
    <div className="empty">
      <h2>There is nothing here</h2>
      <p>
        The address names no page, or an app that is gone or another account’s.{' '}
        <Link to="">Go to the log</Link>.
      </p>
    </div>
  );
}
