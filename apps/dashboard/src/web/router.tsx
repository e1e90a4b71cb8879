import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, useParams } from 'react-router';
import { useSession } from './context';
import { useZone } from './dates';
import { Page, SetUpRoute, SignedIn } from './page';
import { ErrorPage } from './pages/error-page';
import { LogPage } from './pages/log-page';
import { MissingPage } from './pages/missing-page';
import { type AccountPage as AccountPageName, type AppPage, buildPath } from './route';

/** Every URL of the page. A page that fails shows its error inside the shell, so that the way to the others stays. */
export const routes: RouteObject[] = [
  {
    element: <Page />,
    errorElement: <ErrorPage />,
    // While the code of the first page is loaded.
    hydrateFallbackElement: <main className="alone" aria-busy="true" aria-label="Belfry" />,
    children: [
      { path: 'set-up', element: <SetUpRoute /> },
      { path: 'join', element: <SetUpRoute /> },
      { path: 'invitations/:token', element: <SetUpRoute /> },
      {
        element: <SignedIn />,
        children: [
          { index: true, element: <Home />, handle: { page: 'home' } },
          ofAccount('keys', async () => (await import('./pages/keys-page')).KeysPage),
          ofAccount('apps', async () => (await import('./pages/apps-page')).AppsPage),
          ofAccount('people', async () => (await import('./pages/people-page')).PeoplePage),
          ofAccount('account', async () => (await import('./pages/account-page')).AccountPage),
          ofAccount('audit', async () => (await import('./pages/audit-page')).AuditPage),
          {
            path: 'apps/:appId',
            children: [
              ofApp('log', async () => LogPage, { index: true }),
              ofApp(
                'overview',
                async () => (await import('./overview/overview-page')).OverviewPage,
              ),
              ofApp('log', async () => LogPage),
              ofApp('events', async () => (await import('./pages/events-page')).EventsPage, {
                path: 'events',
              }),
              ofApp('events', async () => (await import('./editor/event-page')).EventPage, {
                path: 'events/:id',
              }),
              ofApp(
                'integrations',
                async () => (await import('./pages/integrations-page')).IntegrationsPage,
              ),
              ofApp('queues', async () => (await import('./pages/queues-page')).QueuesPage),
              ofApp('alerts', async () => (await import('./pages/alerts-page')).AlertsPage),
              ofApp('resends', async () => (await import('./pages/resends-page')).ResendsPage),
              ofApp('sandbox', async () => (await import('./sandbox/sandbox-page')).SandboxPage),
              ofApp('users', async () => (await import('./pages/users-page')).UsersPage),
              ofApp('webhooks', async () => (await import('./pages/webhooks-page')).WebhooksPage),
            ],
          },
          { path: '*', element: <MissingPage />, handle: { page: 'missing' } },
        ],
      },
    ],
  },
];

export function createRouter(root: URL) {
  return createBrowserRouter(routes, { basename: root.pathname.replace(/\/$/, '') || '/' });
}

type OpenPage = ComponentType<{ openId: string | undefined }>;
type Place = { path: string } | { index: true };

/** Pages are loaded when they are opened; only the log comes with the first load. */
function ofAccount(page: AccountPageName, load: () => Promise<ComponentType>): RouteObject {
  return {
    path: page,
    handle: { page },
    errorElement: <ErrorPage />,
    lazy: async () => ({ element: <InAccount Opened={await load()} /> }),
  };
}

/** A page of an app, at `<page>` and `<page>/<id>`. */
function ofApp(
  page: AppPage,
  load: () => Promise<OpenPage>,
  place: Place = { path: `${page}/:id?` },
): RouteObject {
  return {
    ...place,
    handle: { page },
    errorElement: <ErrorPage />,
    lazy: async () => ({ element: <InApp Opened={await load()} /> }),
  } as RouteObject;
}

/** Renders its page again when the time zone is switched. */
function InAccount({ Opened }: { Opened: ComponentType }) {
  useZone();
  return <Opened />;
}

/** Like InAccount. */
function InApp({ Opened }: { Opened: OpenPage }) {
  const { app } = useSession();
  useZone();
  const { id } = useParams();
  return app ? <Opened key={app.id} openId={id} /> : <MissingPage />;
}

function Home() {
  const { app } = useSession();
  return <Navigate to={app ? buildPath(app.id, 'log') : '/apps'} replace />;
}
