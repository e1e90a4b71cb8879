import { type Query, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { Outlet, useLocation, useOutletContext, useParams } from 'react-router';
import type { AppAnswer } from '../api/apps';
import type { SessionAnswer } from '../api/session';
import { useAnswer } from './answers';
import { type Session, SessionContext, type SignedIn as SignedInSession } from './context';
import { TroublePage } from './pages/trouble-page';
import { LeaveGuards } from './parts/leave-guards';
import { Shell } from './shell/shell';

const SetUpPage = lazy(async () => ({ default: (await import('./pages/set-up-page')).SetUpPage }));
const SignInPage = lazy(async () => ({
  default: (await import('./pages/sign-in-page')).SignInPage,
}));

type Entrance = {
  session: SessionAnswer;
  /** The session ended while the page was open. */
  hasEnded: boolean;
  enter: (session: SessionAnswer) => void;
};

/** Another tab may have signed in as somebody else. */
const sessionEveryMs = 60_000;
const isOfOperator = ({ queryKey: [route] }: Query) => route !== 'GET /api/session';

/** Reads the session before any page. */
export function Page() {
  const client = useQueryClient();
  const [hasEnded, setEnded] = useState(false);
  const session = useAnswer('GET /api/session', {}, { everyMs: sessionEveryMs });
  const { value } = session;
  const operatorId = value?.state === 'signed_in' ? value.operator.id : undefined;
  // Somebody else signed in in another tab: forgets the answers to the operator before.
  useEffect(() => {
    if (operatorId === undefined) return;
    return () => void client.resetQueries({ predicate: isOfOperator });
  }, [client, operatorId]);
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
    client.removeQueries({ predicate: isOfOperator });
  }
  if (!value) return <TroublePage loaded={session} reload={session.reload} />;
  return (
    <LeaveGuards>
      <Outlet context={{ session: value, hasEnded, enter } satisfies Entrance} />
    </LeaveGuards>
  );
}

/** A one-time link. Its token is in the fragment, or in the path of a link that resets a password. */
export function SetUpRoute() {
  const { session, enter } = useOutletContext<Entrance>();
  const { token } = useParams();
  const { hash } = useLocation();
  return (
    <Suspense fallback={null}>
      <SetUpPage key={token ?? hash} token={token} connection={session.connection} onDone={enter} />
    </Suspense>
  );
}

/** Pages that need a session; without one, the sign-in form at the same URL. */
export function SignedIn() {
  const { session, hasEnded, enter } = useOutletContext<Entrance>();
  if (session.state === 'signed_out') {
    return (
      <Suspense fallback={null}>
        <SignInPage session={session} hasEnded={hasEnded} onDone={enter} />
      </Suspense>
    );
  }
  return <SignedInPages session={session} />;
}

/** Polls the apps, so that every page shows a pause by another operator. */
const appsEveryMs = 10_000;

function SignedInPages({ session }: { session: SignedInSession }) {
  const registry = useAnswer('GET /api/registry');
  const apps = useAnswer('GET /api/apps', {}, { everyMs: appsEveryMs });
  const { appId } = useParams();
  const sessionValue = useMemo<Session | undefined>(() => {
    if (!registry.value || !apps.value) return undefined;
    const all = apps.value.apps;
    return {
      session,
      registry: registry.value,
      apps: all,
      app: chooseApp(all, appId),
      mayChange: session.operator.role !== 'viewer',
      isOwner: session.operator.role === 'owner',
      reloadApps: apps.reload,
    };
  }, [registry.value, apps.value, apps.reload, session, appId]);
  const hasApp = sessionValue?.app !== undefined;
  useEffect(() => {
    if (appId && hasApp) localStorage.setItem('belfry-app', appId);
  }, [appId, hasApp]);
  const missing = registry.value ? apps : registry;
  if (!sessionValue) return <TroublePage loaded={missing} reload={missing.reload} />;
  return (
    <SessionContext value={sessionValue}>
      <Shell />
    </SessionContext>
  );
}

/** The app in the URL, else the last used one, else the first. */
function chooseApp(apps: AppAnswer[], routeAppId: string | undefined): AppAnswer | undefined {
  if (routeAppId) return apps.find(({ id }) => id === routeAppId);
  const last = localStorage.getItem('belfry-app');
  return apps.find(({ id }) => id === last) ?? apps[0];
}
