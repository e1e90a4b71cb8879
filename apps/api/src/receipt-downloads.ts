import { createGuardedFetch, type GuardedFetch, type ReceiptDownloads } from '@belfry/channels';
import type { Shutdown } from '@belfry/runtime';

/** For certificates and confirmations, at hosts that a provider's reader knows, or at a simulator. */
export function createReceiptDownloads(
  ses: string | undefined,
  shutdown: Shutdown,
): ReceiptDownloads {
  const allowedPrivateHosts = ses === undefined ? [] : [new URL(ses).hostname];
  // Created with the first download, because most gateways need none.
  let guarded: GuardedFetch | undefined;
  shutdown.add('receipt downloads', async () => guarded?.close());
  return {
    fetch(url, signal) {
      guarded ??= createGuardedFetch({ allowedPrivateHosts });
      return guarded.fetch(url, signal);
    },
    simulators: { ses },
  };
}
