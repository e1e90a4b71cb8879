import { useAnswer } from '../answers';
import { useSession } from '../context';
import { Link } from '../parts/controls';
import { Bell, Icon, type IconName } from '../parts/icons';
import { Name } from '../parts/name';
import { Mark } from '../parts/state-mark';
import { type AppPage, buildPath, type Route } from '../route';
import { AppSwitch } from './app-switch';
import { Health } from './health';
import styles from './side-bar.module.css';
import { useSignOut } from './use-sign-out';

/** The pages of an app, with the keys that open them. */
export const appPages: readonly { page: AppPage; text: string; icon: IconName; keys: string }[] = [
  { page: 'overview', text: 'Overview', icon: 'chart', keys: 'g o' },
  { page: 'log', text: 'Log', icon: 'log', keys: 'g l' },
  { page: 'events', text: 'Events', icon: 'event', keys: 'g e' },
  { page: 'integrations', text: 'Integrations', icon: 'plug', keys: 'g i' },
  { page: 'queues', text: 'Queues', icon: 'queues', keys: 'g q' },
  { page: 'alerts', text: 'Alerts', icon: 'alert', keys: 'g a' },
  { page: 'sandbox', text: 'Sandbox', icon: 'sandbox', keys: 'g s' },
  { page: 'users', text: 'Users', icon: 'person', keys: 'g u' },
  { page: 'webhooks', text: 'Webhooks', icon: 'webhook', keys: 'g w' },
];

const accountPages = [
  { page: 'keys', text: 'API keys', icon: 'key' },
  { page: 'apps', text: 'Apps', icon: 'apps' },
  { page: 'people', text: 'People', icon: 'people' },
  { page: 'audit', text: 'Audit', icon: 'history' },
] as const;

export function SideBar({ route, onHelp }: { route: Route; onHelp: () => void }) {
  const { session, app } = useSession();
  return (
    <header className={styles.bar}>
      <Link className="brand" to="/" title="Belfry">
        <Bell />
        <span>Belfry</span>
        <small>{session.connection.version}</small>
      </Link>
      <AppSwitch />
      {app && <AppNav appId={app.id} route={route} />}
      <nav aria-label="Account">
        <h2>Account</h2>
        {accountPages.map(({ page, text, icon }) => (
          <Link key={page} to={`/${page}`} title={text} isCurrent={route.page === page}>
            <Icon name={icon} />
            <span>{text}</span>
          </Link>
        ))}
      </nav>
      <button type="button" className={styles.help} onClick={onHelp} title="Keyboard shortcuts (?)">
        <kbd className="key">?</kbd>
        <span>Keyboard shortcuts</span>
      </button>
      <Health />
      <Me isCurrent={route.page === 'account'} />
    </header>
  );
}

function AppNav({ appId, route }: { appId: string; route: Route }) {
  const { app } = useSession();
  const queues = useAnswer('GET /api/queues', { query: { app: appId } }, { everyMs: 30_000 });
  const alerts = useAnswer('GET /api/apps/:appId/alerts', { appId }, { everyMs: 30_000 });
  const stuck = queues.value?.channels.filter(({ sentence }) => sentence !== null).length ?? 0;
  const attention: Partial<Record<AppPage, number>> = {
    integrations: app?.needsAttention ?? 0,
    queues: stuck,
    alerts: alerts.value?.rules.filter(({ firingSince }) => firingSince !== null).length ?? 0,
    webhooks: app?.disabledWebhooks ?? 0,
  };
  return (
    <nav aria-label="App">
      {appPages.map(({ page, text, icon, keys }) => (
        <Link
          key={page}
          to={buildPath(appId, page)}
          title={text}
          isCurrent={getCurrentPage(route) === page}
        >
          <Icon name={icon} />
          <span>{text}</span>
          <AttentionNote number={attention[page] ?? 0} />
          <kbd data-keys={keys} />
        </Link>
      ))}
    </nav>
  );
}

function AttentionNote({ number }: { number: number }) {
  if (number === 0) return null;
  const text = number === 1 ? 'needs attention' : 'need attention';
  return (
    <span className={styles.note} title={`${number} ${text}`}>
      <Mark name="attention" />
      <span>{number}</span>
      <span className="vh"> {text}</span>
    </span>
  );
}

/** Resends count as part of the log. */
function getCurrentPage({ page }: Route): Route['page'] {
  return page === 'resends' ? 'log' : page;
}

function Me({ isCurrent }: { isCurrent: boolean }) {
  const { session } = useSession();
  const signOut = useSignOut();
  const { email, role } = session.operator;
  return (
    <div className={styles.me}>
      <Link to="/account" title={`${email}: password and sessions`} isCurrent={isCurrent}>
        <i className={styles.face} aria-hidden="true">
          {email.slice(0, 2).toUpperCase()}
        </i>
        <b>
          <Name text={email} />
        </b>
        <span className={styles.railLabel}>Account</span>
      </Link>
      <small>{role}</small>
      <button type="button" className="btn small bare" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}
