import { lazy, Suspense, useEffect, useState } from 'react';
import { Outlet, useNavigate } from 'react-router';
import { useSession } from '../context';
import { useZone } from '../dates';
import { focusFinder, useKeys } from '../keyboard';
import { type AppPage, buildPath, useRoute } from '../route';
import { DisabledWebhooksBar } from './disabled-webhooks-bar';
import { PausedBar } from './paused-bar';
import styles from './shell.module.css';
import { appPages, SideBar } from './side-bar';
import { StorageBar } from './storage-bar';
import { TopBar } from './top-bar';
import { walkRows } from './walk-rows';

const HelpDialog = lazy(async () => ({ default: (await import('./help-dialog')).HelpDialog }));
const loadJumpDialog = () => import('./jump-dialog');
const JumpDialog = lazy(async () => ({ default: (await loadJumpDialog()).JumpDialog }));

export function Shell() {
  const route = useRoute();
  const { app } = useSession();
  const navigate = useNavigate();
  const [floating, setFloating] = useState<'jump' | 'help'>();
  useZone();
  // Loaded after the page, so that the first ⌘K accepts typing at once.
  useEffect(() => void loadJumpDialog().catch(() => undefined), []);
  const go = (page: AppPage) => () => {
    if (app) void navigate(buildPath(app.id, page));
  };
  const keys = {
    'mod+k': () => setFloating('jump'),
    '?': () => setFloating('help'),
    '/': focusFinder,
    ...Object.fromEntries(appPages.map(({ page, keys: pageKeys }) => [pageKeys, go(page)])),
    j: () => walkRows(1),
    k: () => walkRows(-1),
  };
  // Bindings of the page come first.
  useKeys(keys, { isFallback: true });
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={skipToMain}>
        Skip to content
      </button>
      <SideBar route={route} onHelp={() => setFloating('help')} />
      <main className={styles.main} id="main" tabIndex={-1}>
        <TopBar route={route} onFind={() => setFloating('jump')} />
        <div>
          <PausedBar />
          <StorageBar />
          <DisabledWebhooksBar />
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
