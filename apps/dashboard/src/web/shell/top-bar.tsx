import { useEffect } from 'react';
import { useAnswer, useSession } from '../context';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { buildPath, type Route } from '../route';
import { switchTheme } from './theme';

const titles: Record<Route['page'], readonly [title: string, sub: string]> = {
  home: ['Belfry', ''],
  missing: ['Not here', ''],
  'set-up': ['Set up', ''],
  log: ['Log', 'newest first'],
  resends: ['Resends', 'what a filter matched, sent again'],
  events: ['Events', 'what callers name, and what people get'],
  integrations: [
    'Integrations',
    'credentials and limits of this app, one for each provider account',
  ],
  queues: ['Queues', 'what waits, and who is working on it'],
  sandbox: ['Sandbox', 'every message that was captured instead of sent'],
  users: ['Users', 'whom this app writes to, and whom it must not'],
  people: ['People', 'who works in this account'],
  keys: ['API keys', 'of this account, for every app'],
  apps: ['Apps', 'each with its own events, integrations and log'],
  account: ['You', 'password and sessions'],
  audit: ['Audit', 'who changed what'],
};

export function TopBar({ route, onFind }: { route: Route; onFind: () => void }) {
  const { app } = useSession();
  const [title, sub] = titles[route.page];
  useEffect(() => {
    document.title =
      app && 'appId' in route ? `${title}, ${app.name} · Belfry` : `${title} · Belfry`;
  }, [title, app, route]);
  return (
    <header className="top">
      {route.page === 'events' && route.id ? (
        <EventTitle appId={route.appId} eventId={route.id} />
      ) : (
        <h1>{title}</h1>
      )}
      <span className="sub cut">{route.page === 'events' && route.id ? '' : sub}</span>
      <span className="grow" />
      {app && <Mode delivery={app.delivery} />}
      <button type="button" className="find" onClick={onFind} aria-keyshortcuts="Meta+K Control+K">
        <Icon name="search" size={14} />
        <span>Find or jump</span>
        <kbd data-keys="⌘K" />
      </button>
      <ThemeSwitch />
    </header>
  );
}

function EventTitle({ appId, eventId }: { appId: string; eventId: string }) {
  const events = useAnswer(`events ${appId}`, (api) => api.listEvents(appId));
  const name = events.value?.events.find(({ id }) => id === eventId)?.name;
  return (
    <h1>
      <Link className="crumb" to={buildPath(appId, 'events')}>
        Events
      </Link>
      <span className="crumb"> / </span>
      <span className="event-name">{name ?? 'event'}</span>
    </h1>
  );
}

function Mode({ delivery }: { delivery: 'sandbox' | 'live' }) {
  if (delivery === 'live') {
    return (
      <span className="mode" title="Messages go to the real providers">
        <Mark name="dot" tone="s-delivered" />
        <span>Live delivery</span>
      </span>
    );
  }
  return (
    <span className="mode sand" title="Every channel goes to the sandbox, whatever a version names">
      <Mark name="attention" />
      <span>
        Sandbox<span className="wide-only">: nothing leaves this machine</span>
      </span>
    </span>
  );
}

function ThemeSwitch() {
  return (
    <Button look="bare icon" title="Theme" aria-label="Switch theme" onClick={switchTheme}>
      <Icon name="theme" />
    </Button>
  );
}
