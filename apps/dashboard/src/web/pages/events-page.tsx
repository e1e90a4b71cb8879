import { useState } from 'react';
import type { EventRow } from '../../api/events';
import { useAnswer, useReload } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { moment } from '../format';
import { Button, Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { ListPage } from '../parts/list-page';
import { NameDialog } from '../parts/name-dialog';
import { Waiting } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { buildPath, usePageLocation } from '../route';

const readAgainMs = 30_000;

export function EventsPage() {
  const app = useApp();
  const { mayChange } = useSession();
  const [text, setText] = useState('');
  const { search } = usePageLocation();
  const [isAdding, setAdding] = useState(new URLSearchParams(search).get('do') === 'create');
  const list = useAnswer(
    'GET /api/apps/:appId/events',
    { appId: app.id },
    { everyMs: readAgainMs },
  );
  const all = list.value?.events ?? [];
  const visibleEvents = all.filter(({ name }) => name.includes(text.trim()));
  return (
    <ListPage
      finds="Find event"
      placeholder="Name"
      text={text}
      onText={setText}
      loaded={list}
      reload={list.reload}
      action={
        mayChange && (
          <Button look="main-action" onClick={() => setAdding(true)}>
            <Icon name="plus" size={14} />
            Create event
          </Button>
        )
      }
    >
      {!list.value && <Waiting loaded={list} reload={list.reload} what="events" />}
      {list.value && all.length === 0 && <NoEvent onAdd={() => setAdding(true)} />}
      {all.length > 0 && <EventTable events={visibleEvents} />}
      {isAdding && <NewEventDialog onClose={() => setAdding(false)} />}
    </ListPage>
  );
}

function NoEvent({ onAdd }: { onAdd: () => void }) {
  return (
    <div className="pane">
      <div className="empty">
        <h2>No events yet</h2>
        <p>
          A backend sends an event such as <code>order_shipped</code>. The event defines the
          channels and templates. Write a draft, preview it on every channel, then publish it.
        </p>
        <p>
          <Button look="main-action" onClick={onAdd}>
            Create event
          </Button>
        </p>
      </div>
    </div>
  );
}

function EventTable({ events }: { events: EventRow[] }) {
  const app = useApp();
  const now = Date.now();
  return (
    <section className="pane" aria-label="Events">
      <table className="wide-rows">
        <thead>
          <tr>
            <th>Event</th>
            <th className="c-state">State</th>
            <th>Channels</th>
            <th className="num c-when opt">Live since</th>
            <th className="num c-when">Changed</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td className="ev">
                <Link to={buildPath(app.id, 'events', event.id)}>{event.name}</Link>
              </td>
              <td>
                <EventState event={event} />
              </td>
              <td>
                <span className="channels">
                  {event.channels.map((channel) => (
                    <span key={channel} className="state" title={channel}>
                      <Icon name={channelIcon(channel)} size={14} />
                      <span className="wide-only">{channel}</span>
                    </span>
                  ))}
                  {event.channels.length === 0 && <span className="faint">none</span>}
                </span>
              </td>
              <td className="num opt">{event.liveSince ? moment(event.liveSince, now) : ''}</td>
              <td className="num">{moment(event.updatedAt, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {events.length === 0 && <p className="nothing">No matching events.</p>}
    </section>
  );
}

function EventState({ event }: { event: EventRow }) {
  if (event.state === 'draft') {
    return (
      <span className="state">
        <Mark name="draft" /> draft
      </span>
    );
  }
  return (
    <span className="state">
      <Mark name="delivered" /> live, v{event.liveNumber}
      {event.state === 'changed' && <span className="tag on">draft differs</span>}
    </span>
  );
}

function NewEventDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const { api, navigation } = useServices();
  const reload = useReload();
  async function create(name: string): Promise<PageProblem | undefined> {
    const answer = await api.call('POST /api/apps/:appId/events', {
      appId: app.id,
      body: { name },
    });
    if ('problem' in answer) return answer.problem;
    await reload('GET /api/apps/:appId/events', { appId: app.id });
    onClose();
    navigation.go(buildPath(app.id, 'events', answer.value.id));
    return undefined;
  }
  return (
    <NameDialog
      title="Create event"
      action={() => 'Create event'}
      hint="Callers send this as `event`, for example order_shipped. Unique in this app."
      maxLength={128}
      isMono
      onName={create}
      onClose={onClose}
    />
  );
}
