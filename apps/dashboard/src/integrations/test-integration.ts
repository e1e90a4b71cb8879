import type { SenderDeps, Tested } from '@belfry/channels';
import type { OpenIntegration } from '@belfry/database';
import { createSemaphore } from '@belfry/runtime';
import { type Channels, findProvider } from './provider-forms';

/** Asks the provider whether it takes the integration's credentials. */
export type TestIntegration = (
  integration: Pick<OpenIntegration, 'channel' | 'provider' | 'settings' | 'credentials'>,
) => Promise<Tested>;

const timeoutMs = 15_000;
/** Each may hold a connection for as long as the timeout. */
const maxAtOnce = 8;

export function createTestIntegration(channels: Channels, deps: SenderDeps): TestIntegration {
  const turns = createSemaphore(maxAtOnce);
  return async function testIntegration(integration) {
    const giveBack = await turns.acquire();
    const sender = findProvider(channels, integration).createSender(deps);
    const { settings, credentials } = integration;
    try {
      return await sender.test({ settings, credentials, signal: AbortSignal.timeout(timeoutMs) });
    } finally {
      giveBack();
      await sender.close();
    }
  };
}
