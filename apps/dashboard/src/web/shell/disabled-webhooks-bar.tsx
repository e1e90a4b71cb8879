import { useSession } from '../context';
import { Link } from '../parts/controls';
import { Mark } from '../parts/state-mark';
import { buildPath, useRoute } from '../route';

/** Shown on every page of an app of which Belfry disabled an endpoint: its backend misses events. */
export function DisabledWebhooksBar() {
  const { app } = useSession();
  const { page } = useRoute();
  if (!app || app.disabledWebhooks === 0) return null;
  const { id, name, disabledWebhooks } = app;
  return (
    <div className="away" role="status">
      <Mark name="attention" />
      <span className="grow">
        <b>
          {disabledWebhooks === 1 ? 'A webhook endpoint' : `${disabledWebhooks} webhook endpoints`}{' '}
          of {name} {disabledWebhooks === 1 ? 'is' : 'are'} disabled.
        </b>{' '}
        New events are not sent there.
      </span>
      {page !== 'webhooks' && (
        <Link className="btn small" to={buildPath(id, 'webhooks')}>
          Show webhooks
        </Link>
      )}
    </div>
  );
}
