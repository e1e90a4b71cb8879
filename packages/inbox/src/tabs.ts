import type { LiveMessage } from './feed';
import type { Platform } from './platform';
import type { InboxConnection } from './types';

type TabMessage =
  | { kind: 'event'; message: LiveMessage }
  | { kind: 'connection'; connection: InboxConnection }
  /** A tab asks for the connection. */
  | { kind: 'hello' };

export type TabsDeps = {
  platform: Platform;
  name: string;
  onMessage(message: LiveMessage): void;
  onConnection(connection: InboxConnection): void;
  /** Undefined in a tab that does not read the stream. */
  getConnection(): InboxConnection | undefined;
};

/** The other tabs of this browser that show the same inbox. */
export function createTabs({ platform, name, ...deps }: TabsDeps) {
  let channel: BroadcastChannel | undefined;

  function post(message: TabMessage): void {
    channel?.postMessage(message);
  }

  function hear(tabMessage: TabMessage): void {
    if (tabMessage.kind === 'connection') deps.onConnection(tabMessage.connection);
    else if (tabMessage.kind === 'hello') announce(deps.getConnection());
    else receive(tabMessage.message);
  }

  function announce(connection: InboxConnection | undefined): void {
    if (connection) post({ kind: 'connection', connection });
  }

  function receive(message: LiveMessage): void {
    // A hidden tab loads when it is shown again.
    if (message.event !== 'poll' || platform.isVisible()) deps.onMessage(message);
  }

  return {
    open() {
      // Without locks each tab has its own stream, so there is nothing to pass on.
      channel = platform.locks && platform.openChannel?.(name);
      channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => hear(data));
      post({ kind: 'hello' });
    },
    isOpen: () => channel !== undefined,
    pass: (message: LiveMessage) => post({ kind: 'event', message }),
    announce,
    askForConnection: () => post({ kind: 'hello' }),
    close() {
      channel?.close();
      channel = undefined;
    },
  };
}
