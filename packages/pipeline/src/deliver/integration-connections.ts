import type { AnyChannel, Provider, Sender } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import { LRUCache } from 'lru-cache';

/** The connections of an integration, for providers that limit them. */
export type ProviderConnections = {
  /** How many messages this process may send at once by this fairness key; undefined if only the slots limit them. */
  getMax(fairnessKey: string): Promise<number | undefined>;
  /** Reserves a connection before a message is claimed; undefined if none became free before the signal fired. */
  reserve(call: ReserveCall): Promise<Reservation | undefined>;
};

export type ReserveCall = { fairnessKey: string; messageId: string; signal: AbortSignal };
export type Reservation = { release(): void };

export type ProviderConnectionsDeps = {
  channel: AnyChannel;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  getSender(provider: string): Sender<unknown>;
  openCredentials(integration: IntegrationRow): Record<string, unknown>;
};

const maxFairnessKeys = 10_000;
const emptyReservation: Reservation = { release: () => undefined };

export function createProviderConnections(deps: ProviderConnectionsDeps): ProviderConnections {
  const providers: Record<string, Provider<unknown>> = deps.channel.providers;
  const isBounded = Object.values(providers).some(({ getMaxConnections }) => getMaxConnections);
  /** Fairness keys of apps: they have no integration and never get one. */
  const withoutIntegration = new LRUCache<string, true>({ max: maxFairnessKeys });

  async function findBounded(fairnessKey: string): Promise<IntegrationRow | undefined> {
    if (!isBounded || withoutIntegration.has(fairnessKey)) return undefined;
    const integration = await deps.findIntegration(fairnessKey);
    if (!integration) withoutIntegration.set(fairnessKey, true);
    const isSupported = integration && Object.hasOwn(providers, integration.provider);
    return isSupported ? integration : undefined;
  }

  return {
    async getMax(fairnessKey) {
      const integration = await findBounded(fairnessKey);
      return (
        integration && providers[integration.provider]?.getMaxConnections?.(integration.settings)
      );
    },
    async reserve({ fairnessKey, messageId, signal }) {
      const integration = await findBounded(fairnessKey);
      if (!integration) return emptyReservation;
      const sender = deps.getSender(integration.provider);
      if (!sender.reserve) return emptyReservation;
      const { id: integrationId, settings, updatedAt } = integration;
      const credentials = deps.openCredentials(integration);
      const integrationVersion = String(updatedAt.getTime());
      const call = { integrationId, integrationVersion, settings, credentials, messageId };
      return sender.reserve(call, signal);
    },
  };
}
