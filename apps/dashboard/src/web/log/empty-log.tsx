import { useState } from 'react';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { Link } from '../parts/controls';
import { FirstCall } from '../parts/first-call';
import { Moment } from '../parts/moment';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';
import styles from './empty-log.module.css';

/** Empty state with the next step. */
export function EmptyLog() {
  const app = useApp();
  const [since] = useState(Date.now);
  const events = useAnswer('GET /api/apps/:appId/events', { appId: app.id });
  const live = events.value?.events.find(({ state }) => state !== 'draft');
  const first = live ?? events.value?.events[0];
  return (
    <div className="pane">
      <div className="empty">
        <h2>No requests yet</h2>
        {live ? (
          <>
            <p>
              Run this in a terminal. It sends the event <code>{live.name}</code>
              {app.delivery === 'sandbox' && '; the sandbox captures every message'}. The request
              appears here at once.
            </p>
            <FirstCall event={live} />
          </>
        ) : (
          <p>
            A request appears here as soon as a backend sends an event. This app has no live event
            yet: <Link to={buildPath(app.id, 'events')}>create and publish one</Link>.
          </p>
        )}
        <div className="listening" role="status">
          <Mark name="dot" tone="s-sending pulse" />
          <span>
            Listening since <Moment at={since} />. The first request appears here automatically.
          </span>
        </div>
        <div className={styles.next}>
          {first && (
            <Link to={buildPath(app.id, 'events', first.id)}>
              <b>Edit {first.name}</b>
              <span>Change its template and see it on every channel.</span>
            </Link>
          )}
          <Link to={buildPath(app.id, 'integrations', 'new')}>
            <b>Create integration</b>
            <span>Slack, Twilio, SMTP and more.</span>
          </Link>
          <Link to="/keys">
            <b>API keys</b>
            <span>Callers authenticate with them.</span>
          </Link>
        </div>
      </div>
    </div>
  );
}
