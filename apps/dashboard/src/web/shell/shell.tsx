import { lazy, Suspense, useState } from 'react';
import { Outlet } from 'react-router';
import { useServices, useSession } from '../context';
import { useKeys } from '../keyboard';
import { type AppPage, buildPath, useRoute } from '../route';
import { PausedBar } from './paused-bar';
import { SideBar } from './side-bar';
import { TopBar } from './top-bar';
import { walkRows } from './walk-rows';

const HelpDialog = lazy(async () => ({ default: (await import('./help-dialog')).HelpDialog }));
const JumpDialog = lazy(async () => ({ default: (await import('./jump-dialog')).JumpDialog }));

export function Shell() {
  const route = useRoute();
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
    'g o': go('overview'),
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
        <Outlet />
      </main>
      <Suspense fallback={null}>
        {floating === 'jump' && (
          <JumpDialog onClose={() => setFloating(undefined)} onHelp={() => setFloating('help')} />
        )}
        {floating === 'help' && <HelpDialog onClose={() => setFloating(undefined)} />}
      </Suspense>
    </div>
  );
}

/** A button, because <base> would change a fragment URL. */
function skipToMain() {
  document.getElementById('main')?.focus();
}
