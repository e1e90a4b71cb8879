import type { LiveMessage } from './feed';
import { keepStreaming, type StreamingDeps } from './keep-streaming';
import { createTabs } from './tabs';
import type { InboxConnection } from './types';

export type LiveDeps = Omit<StreamingDeps, 'signal'> & {
  /** The same for all tabs that show this reader's inbox. */
  name: string;
  /** The page is shown again, after it had stopped to stream. */
  onReturn(): void;
};

/** The part of an inbox that keeps it current while it is connected. */
export type Live = {
  /** Listens to the other tabs. */
  open(): void;
  /** From now on, this tab may be the one that reads the stream. */
  join(): void;
  close(): void;
};

/**
 * One stream per browser: the tab that holds the lock reads it and passes each event on. A tab that is hidden gives the lock
 * back after a while. So a visible tab takes over, and nobody streams while all are hidden.
 */
export function createLive(deps: LiveDeps): Live {
  const { platform, name, onConnection } = deps;
  /** The connection of the stream that this tab reads. */
  let leading: InboxConnection | undefined;
  const tabs = createTabs({
    platform,
    name,
    onMessage: deps.onMessage,
    onConnection(connection) {
      if (!leading) onConnection(connection);
    },
    getConnection: () => leading,
  });
  const presence = createPresence({
    ...deps,
    onShow: (signal) => void compete(signal),
    onReturn() {
      onConnection('connecting');
      tabs.askForConnection();
      deps.onReturn();
    },
  });

  async function compete(signal: AbortSignal): Promise<void> {
    const { locks } = platform;
    const work = () => lead(signal);
    if (!locks || !tabs.isOpen()) return work();
    // In a frame without its own origin, the lock is refused.
    await locks.request(name, { signal }, work).catch(() => (signal.aborted ? undefined : work()));
  }

  async function lead(signal: AbortSignal): Promise<void> {
    await keepStreaming({
      ...deps,
      signal,
      onMessage(message: LiveMessage) {
        deps.onMessage(message);
        tabs.pass(message);
      },
      onConnection(connection) {
        leading = connection;
        onConnection(connection);
        tabs.announce(connection);
      },
    });
    leading = undefined;
  }

  return {
    open: tabs.open,
    join: presence.start,
    close() {
      presence.stop();
      tabs.close();
    },
  };
}

type PresenceDeps = Pick<LiveDeps, 'platform' | 'onConnection' | 'onReturn'> & {
  /** The signal aborts when the page was hidden for a while. */
  onShow(signal: AbortSignal): void;
};

/** Follows whether the page is visible. */
function createPresence({ platform, onConnection, onShow, onReturn }: PresenceDeps) {
  let unwatch: (() => void) | undefined;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  let shown: AbortController | undefined;
  let isPaused = false;

  function adapt(): void {
    if (!platform.isVisible()) {
      hideTimer ??= setTimeout(pause, platform.times.hiddenMs);
      return;
    }
    clearTimeout(hideTimer);
    hideTimer = undefined;
    if (shown) return;
    if (isPaused) onReturn();
    isPaused = false;
    shown = new AbortController();
    onShow(shown.signal);
  }

  function pause(): void {
    isPaused = true;
    shown?.abort();
    shown = undefined;
    onConnection('paused');
  }

  return {
    start() {
      unwatch = platform.watch(adapt);
      adapt();
    },
    stop() {
      clearTimeout(hideTimer);
      hideTimer = undefined;
      unwatch?.();
      shown?.abort();
      shown = undefined;
      isPaused = false;
    },
  };
}
