import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { useServices, useSession } from '../context';
import { useKeys } from '../keyboard';
import { AccountPage } from '../pages/account-page';
import { AppsPage } from '../pages/apps-page';
import { AuditPage } from '../pages/audit-page';
import { EventsPage } from '../pages/events-page';
import { IntegrationsPage } from '../pages/integrations-page';
import { KeysPage } from '../pages/keys-page';
import { LogPage } from '../pages/log-page';
import { MissingPage } from '../pages/missing-page';
import { PeoplePage } from '../pages/people-page';
import { QueuesPage } from '../pages/queues-page';
import { type AppPage, buildPath, type Route } from '../route';
import { HelpDialog } from './help-dialog';
import { PausedBar } from './paused-bar';
import { SideBar } from './side-bar';
import { TopBar } from './top-bar';
import { walkRows } from './walk-rows';

const JumpDialog = lazy(async () => ({ default: (await import('./jump-dialog')).JumpDialog }));
const ResendsPage = lazy(async () => ({
  default: (await import('../pages/resends-page')).ResendsPage,
}));
// The editor and its preview are loaded when an event is opened.
const SandboxPage = lazy(async () => ({
  default: (await import('../sandbox/sandbox-page')).SandboxPage,
}));
const EventPage = lazy(async () => ({ default: (await import('../editor/event-page')).EventPage }));
const UsersPage = lazy(async () => ({ default: (await import('../pages/users-page')).UsersPage }));

export function Shell({ route }: { route: Route }) {
  const { app } = useSession();
  const { navigation } = useServices();
  const [floating, setFloating] = useState<'jump' | 'help'>();
  const go = (page: AppPage) => () => {
    if (app) navigation.go(buildPath(app.id, page));
  };
  const keys = {
    'mod+k': () => setFloating('jump'),
    '?': () => setFloating('help'),
    '/': () => document.querySelector<HTMLElement>('.finder input')?.focus(),
    'g l': go('log'),
    'g e': go('events'),
    'g i': go('integrations'),
    'g q': go('queues'),
    'g s': go('sandbox'),
    'g u': go('users'),
    j: () => walkRows(1),
    k: () => walkRows(-1),
  };
  // Bindings of the page come first.
  useKeys(keys, { isFallback: true });
  useEffect(() => {
    if (route.page !== 'home') return;
    navigation.go(app ? buildPath(app.id, 'log') : 'apps', { isReplacing: true });
  }, [route.page, app, navigation]);
  return (
    <div className="app">
      <button type="button" className="skip" onClick={skipToMain}>
        Skip to content
      </button>
      <SideBar route={route} onHelp={() => setFloating('help')} />
      <main className="main" id="main" tabIndex={-1}>
        <TopBar route={route} onFind={() => setFloating('jump')} />
        <div>
          <PausedBar />
        </div>
        <Suspense fallback={null}>
          <RoutedPage route={route} />
        </Suspense>
      </main>
      <Suspense fallback={null}>
        {floating === 'jump' && (
          <JumpDialog onClose={() => setFloating(undefined)} onHelp={() => setFloating('help')} />
        )}
      </Suspense>
      {floating === 'help' && <HelpDialog onClose={() => setFloating(undefined)} />}
    </div>
  );
}

/** A button, because <base> would change a fragment URL. */
function skipToMain() {
  document.getElementById('main')?.focus();
}

const accountPages = {
  keys: KeysPage,
  apps: AppsPage,
  people: PeoplePage,
  account: AccountPage,
  audit: AuditPage,
};

const appPages: Record<AppPage, ComponentType<{ openId: string | undefined }>> = {
  log: LogPage,
  resends: ResendsPage,
  events: EventsOrOne,
  integrations: IntegrationsPage,
  queues: QueuesPage,
  sandbox: SandboxPage,
  users: UsersPage,
};

function RoutedPage({ route }: { route: Route }) {
  const { app } = useSession();
  if (route.page === 'home') return null;
  if (route.page === 'set-up' || route.page === 'missing') return <MissingPage />;
  if (!('appId' in route)) {
    const Account = accountPages[route.page];
    return <Account />;
  }
  if (!app) return <MissingPage />;
  const OfApp = appPages[route.page];
  return <OfApp key={app.id} openId={route.id} />;
}

function EventsOrOne({ openId }: { openId: string | undefined }) {
  return openId ? <EventPage key={openId} eventId={openId} /> : <EventsPage />;
}
