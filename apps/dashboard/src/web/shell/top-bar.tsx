import { useEffect } from 'react';
import { useAnswer } from '../answers';
import { useSession } from '../context';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { Mark } from '../parts/state-mark';
import { buildPath, type Route } from '../route';
import { DocsLink } from './docs-link';
import { getNextTheme, setTheme, useTheme } from './theme';
import styles from './top-bar.module.css';

const titles: Record<Route['page'], readonly [title: string, sub: string]> = {
  home: ['Belfry', ''],
  missing: ['Page not found', ''],
  overview: ['Overview', 'messages by state, failures and delays'],
  log: ['Log', 'newest first'],
  resends: ['Resends', 'bulk resends by log filter'],
  events: ['Events', 'names for callers, templates for recipients'],
  integrations: ['Integrations', 'credentials and limits, one per provider account'],
  queues: ['Queues', 'waiting messages and workers'],
  alerts: ['Alerts', 'rules, and what they sent'],
  sandbox: ['Sandbox', 'messages captured instead of sent'],
  users: ['Users', 'recipients and suppressions of this app'],
  webhooks: ['Webhooks', 'signed calls to your backend'],
  people: ['People', 'operators of this account'],
  keys: ['API keys', 'for all apps of this account'],
  apps: ['Apps', 'each with its own events, integrations and log'],
  account: ['Account', 'password and sessions'],
  audit: ['Audit', 'changes by operators'],
};

export function TopBar({ route, onFind }: { route: Route; onFind: () => void }) {
  const { app } = useSession();
  const [title, sub] = titles[route.page];
  useEffect(() => {
    document.title =
      app && 'appId' in route ? `${title}, ${app.name} · Belfry` : `${title} · Belfry`;
  }, [title, app, route]);
  return (
    <header className={styles.bar}>
      {route.page === 'events' && route.id ? (
        <EventTitle appId={route.appId} eventId={route.id} />
      ) : (
        <h1>{title}</h1>
      )}
      <span className={`${styles.sub} cut`}>{route.page === 'events' && route.id ? '' : sub}</span>
      <span className="grow" />
      {app && <Mode delivery={app.delivery} />}
      <button
        type="button"
        className={styles.find}
        onClick={onFind}
        aria-label="Find or jump"
        aria-keyshortcuts="Meta+K Control+K"
      >
        <Icon name="search" size={14} />
        <span>Find or jump</span>
        <kbd data-keys="⌘K" />
      </button>
      <DocsLink page={route.page} />
      <ThemeSwitch />
    </header>
  );
}

function EventTitle({ appId, eventId }: { appId: string; eventId: string }) {
  const event = useAnswer('GET /api/apps/:appId/events/:eventId', { appId, eventId });
  const unnamed = event.problem?.code === 'not_found' ? 'not found' : 'event';
  return (
    <h1>
      <Link className={styles.crumb} to={buildPath(appId, 'events')}>
        Events
      </Link>
      <span className={styles.crumb}> / </span>
      <span className={styles.event}>
        <Name text={event.value?.name ?? unnamed} />
      </span>
    </h1>
  );
}

function Mode({ delivery }: { delivery: 'sandbox' | 'live' }) {
  if (delivery === 'live') {
    return (
      <span className={styles.mode} title="Messages are sent through the providers">
        <Mark name="dot" tone="s-delivered" />
        <span>Live delivery</span>
      </span>
    );
  }
  return (
    <span
      className={`${styles.mode} ${styles.sandbox}`}
      title="Every message is captured in the sandbox"
    >
      <Mark name="attention" />
      <span>
        Sandbox<span className="wide-only">: messages are captured, not sent</span>
      </span>
    </span>
  );
}

function ThemeSwitch() {
  const theme = useTheme();
  const next = getNextTheme(theme);
  const title = `Theme: ${theme}. Switch to ${next}`;
  return (
    <Button look="bare icon" title={title} aria-label={title} onClick={() => setTheme(next)}>
      <Icon name="theme" />
    </Button>
  );
}
