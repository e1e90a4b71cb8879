import { Link } from '../parts/controls';

export function MissingPage() {
  return (
    <div className="empty">
      <p>
        This page does not exist, or its app was removed or belongs to another account.{' '}
        <Link to="/">Open the log</Link>.
      </p>
    </div>
  );
}
