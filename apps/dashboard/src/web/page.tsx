import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { AppAnswer } from '../api/apps';
import type { SessionAnswer } from '../api/session';
import { useAnswer } from './answers';
import { type Session, SessionContext, type SignedIn, useLocation } from './context';
import { SetUpPage } from './pages/set-up-page';
import { SignInPage } from './pages/sign-in-page';
import { TroublePage } from './pages/trouble-page';
import { parseRoute } from './route';
import { Shell } from './shell/shell';

/** Shows the page for the current session. */
export function Page() {
  const client = useQueryClient();
  const { path } = useLocation();
  const [hasEnded, setEnded] = useState(false);
  const session = useAnswer('GET /api/session');
  useEffect(() => {
    function onSignedOut() {
      setEnded(true);
      void session.reload();
    }
    document.addEventListener('belfry:signed-out', onSignedOut);
    return () => document.removeEventListener('belfry:signed-out', onSignedOut);
  }, [session.reload]);
  function enter(next: SessionAnswer) {
    setEnded(false);
    session.set(next);
    client.removeQueries({ predicate: ({ queryKey: [route] }) => route !== 'GET /api/session' });
  }
  if (!session.value) return <TroublePage loaded={session} reload={session.reload} />;
  const route = parseRoute(path);
  if (route.page === 'set-up') {
    const { connection } = session.value;
    return <SetUpPage token={route.token} connection={connection} onDone={enter} />;
  }
  if (session.value.state === 'signed_out') {
    return <SignInPage session={session.value} hasEnded={hasEnded} onDone={enter} />;
  }
  return <SignedInPage session={session.value} />;
}

/** Polls the apps, so that every page shows a pause by another operator. */
const appsEveryMs = 10_000;

function SignedInPage({ session }: { session: SignedIn }) {
  const { path } = useLocation();
  const registry = useAnswer('GET /api/registry');
  const apps = useAnswer('GET /api/apps', {}, { everyMs: appsEveryMs });
  const route = parseRoute(path);
  const routeAppId = 'appId' in route ? route.appId : undefined;
  useEffect(() => {
    if (routeAppId) localStorage.setItem('belfry-app', routeAppId);
  }, [routeAppId]);
  const sessionValue = useMemo<Session | undefined>(() => {
    if (!registry.value || !apps.value) return undefined;
    const all = apps.value.apps;
    return {
      session,
      registry: registry.value,
      apps: all,
      app: chooseApp(all, routeAppId),
      mayChange: session.operator.role !== 'viewer',
      isOwner: session.operator.role === 'owner',
      reloadApps: apps.reload,
    };
  }, [registry.value, apps.value, apps.reload, session, routeAppId]);
  const missing = registry.value ? apps : registry;
  if (!sessionValue) return <TroublePage loaded={missing} reload={missing.reload} />;
  return (
    <SessionContext value={sessionValue}>
      <Shell route={route} />
    </SessionContext>
  );
}

/** The app in the URL, else the last used one, else the first. */
function chooseApp(apps: AppAnswer[], routeAppId: string | undefined): AppAnswer | undefined {
  if (routeAppId) return apps.find(({ id }) => id === routeAppId);
  const last = localStorage.getItem('belfry-app');
  return apps.find(({ id }) => id === last) ?? apps[0];
}
