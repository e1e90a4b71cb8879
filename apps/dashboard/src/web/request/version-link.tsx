import type { RequestAnswer } from '../../api/requests';
import { useApp } from '../context';
import { Link } from '../parts/controls';
import { buildPath } from '../route';
import { versionSearch } from '../versions/version-place';

/** Link to the version of a message; only its number if the event was deleted. */
export function VersionLink({ request: { event, version } }: { request: RequestAnswer }) {
  const app = useApp();
  const label = version.kind === 'test' ? 'a test of the draft' : `v${version.number}`;
  if (event.isDeleted) return label;
  return (
    <Link to={buildPath(app.id, 'events', event.id)} search={versionSearch(version.id)}>
      {label}
    </Link>
  );
}
