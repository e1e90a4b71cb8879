import type { RequestAnswer } from '../../api/requests';
import { useApp } from '../context';
import { writeFilters } from '../log/filters';
import { Link } from '../parts/controls';
import { buildPath } from '../route';

/** The call tab shows all of them. */
const maxShown = 8;

/** The cancel key of an item, and its metadata as links to the requests that have the same. */
export function ItemFacts({ request: { call } }: { request: RequestAnswer }) {
  const app = useApp();
  const entries = Object.entries(call.metadata ?? {});
  if (entries.length === 0 && call.cancelKey === null) return null;
  return (
    <dl className="facts pad" aria-label="Metadata">
      {call.cancelKey !== null && (
        <div>
          <dt>Cancel key</dt>
          <dd className="mono cut" title={call.cancelKey}>
            {call.cancelKey}
          </dd>
        </div>
      )}
      {entries.slice(0, maxShown).map(([key, value]) => (
        <div key={key}>
          <dt className="cut">{key}</dt>
          <dd className="mono cut" title={value}>
            <Link
              to={buildPath(app.id, 'log')}
              search={writeFilters({ metadata: `${key}:${value}` })}
              title="Find requests with this metadata"
            >
              {value}
            </Link>
          </dd>
        </div>
      ))}
      {entries.length > maxShown && (
        <div className="dim">{entries.length - maxShown} more under Call and response</div>
      )}
    </dl>
  );
}
