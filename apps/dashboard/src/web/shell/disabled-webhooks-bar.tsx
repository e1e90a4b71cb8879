import { useSession } from '../context';
import { plural } from '../format';
import { Link } from '../parts/controls';
import { Mark } from '../parts/state-mark';
import { buildPath, useRoute } from '../route';

/** Shown on every page of an app of which Belfry disabled an endpoint: its backend misses events. */
export function DisabledWebhooksBar() {
  const { app } = useSession();
  const { page } = useRoute();
  if (!app || app.disabledWebhooks === 0) return null;
  const { id, disabledWebhooks } = app;
  return (
    <div className="away" role="status">
      <Mark name="attention" />
      <span className="grow">
        <b>
          {plural(disabledWebhooks, 'webhook endpoint')} {disabledWebhooks === 1 ? 'is' : 'are'}{' '}
          disabled.
        </b>{' '}
        <span className="wide-only">New events are not sent there.</span>
      </span>
      {page !== 'webhooks' && (
        <Link className="btn small" to={buildPath(id, 'webhooks')}>
          Show webhooks
        </Link>
      )}
    </div>
  );
}
