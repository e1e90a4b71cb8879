import { useState } from 'react';
import { useAnswer, useApp } from '../context';
import { clock } from '../format';
import { Link } from '../parts/controls';
import { FirstCall } from '../parts/first-call';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';

/** What belongs here, the one thing to do, and what will happen then. */
export function EmptySandbox() {
  const app = useApp();
  const [since] = useState(Date.now);
  const events = useAnswer(`events ${app.id}`, (api) => api.listEvents(app.id));
  const live = events.value?.events.find(({ state }) => state !== 'draft');
  return (
    <div className="pane">
      <div className="empty">
        <h2>Nothing was captured yet</h2>
        {app.delivery === 'live' ? (
          <p>
            This app is in live delivery: its messages reach people. A test send to the sandbox
            appears here, and so does every message once the app is in sandbox delivery.{' '}
            <Link to="apps">Change its delivery</Link>
          </p>
        ) : (
          <p>
            Every message of this app is captured here instead of being sent, with the call that its
            provider would have got. The newest 500 are kept, for 7 days.
            {!live && ' No event of it is live yet.'}
          </p>
        )}
        {live && <FirstCall event={live} />}
        {!live && <Link to={buildPath(app.id, 'events')}>Write an event and publish it</Link>}
        <div className="listening" role="status">
          <Mark name="dot" tone="s-sending pulse" />
          Listening since {clock(since)}. The first capture appears here by itself.
        </div>
      </div>
    </div>
  );
}
