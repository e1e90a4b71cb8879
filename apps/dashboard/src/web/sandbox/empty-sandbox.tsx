import { useState } from 'react';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { Link } from '../parts/controls';
import { FirstCall } from '../parts/first-call';
import { Moment } from '../parts/moment';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';

/** Empty state with the next step. */
export function EmptySandbox() {
  const app = useApp();
  const [since] = useState(Date.now);
  const events = useAnswer('GET /api/apps/:appId/events', { appId: app.id });
  const live = events.value?.events.find(({ state }) => state !== 'draft');
  return (
    <div className="pane">
      <div className="empty">
        <h2>No captures yet</h2>
        {app.delivery === 'live' ? (
          <p>
            This app uses live delivery, so its messages reach people. Test sends to the sandbox
            appear here. With sandbox delivery, every message does.{' '}
            <Link to="/apps">Change delivery</Link>
          </p>
        ) : (
          <p>
            Every message of this app is captured here instead of being sent, with the request that
            its provider would have received. The newest 500 are kept for 7 days.
            {!live && ' No event is live yet.'}
          </p>
        )}
        {live && <FirstCall event={live} />}
        {!live && <Link to={buildPath(app.id, 'events')}>Create and publish an event</Link>}
        <div className="listening" role="status">
          <Mark name="dot" tone="s-sending pulse" />
          <span>
            Listening since <Moment at={since} />. The first capture appears here automatically.
          </span>
        </div>
      </div>
    </div>
  );
}
