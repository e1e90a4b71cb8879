import type { AnyChannel, Provider, Sender } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import { LRUCache } from 'lru-cache';

/** The connections by which the messages of a lane are sent, where its provider bounds them. */
export type LaneConnections = {
  /** How many messages of the lane this process may send at once; undefined where its slots alone bound them. */
  getMax(lane: string): Promise<number | undefined>;
  /** Keeps a connection for a message, before it is claimed; undefined where none got free before the signal fired. */
  reserve(call: ReserveCall): Promise<Reservation | undefined>;
};

export type ReserveCall = { lane: string; messageId: string; signal: AbortSignal };
export type Reservation = { release(): void };

export type LaneConnectionsDeps = {
  channel: AnyChannel;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  getSender(provider: string): Sender<unknown>;
  openCredentials(integration: IntegrationRow): Record<string, unknown>;
};

const maxLanes = 10_000;
const nothing: Reservation = { release: () => undefined };

export function createLaneConnections(deps: LaneConnectionsDeps): LaneConnections {
  const providers: Record<string, Provider<unknown>> = deps.channel.providers;
  const isBounded = Object.values(providers).some(({ getMaxConnections }) => getMaxConnections);
  /** Lanes of apps: they have no integration, and never get one. */
  const withoutIntegration = new LRUCache<string, true>({ max: maxLanes });

  async function findBounded(lane: string): Promise<IntegrationRow | undefined> {
    if (!isBounded || withoutIntegration.has(lane)) return undefined;
    const integration = await deps.findIntegration(lane);
    if (!integration) withoutIntegration.set(lane, true);
    const isKnown = integration && Object.hasOwn(providers, integration.provider);
    return isKnown ? integration : undefined;
  }

  return {
    async getMax(lane) {
      const integration = await findBounded(lane);
      return (
        integration && providers[integration.provider]?.getMaxConnections?.(integration.settings)
      );
    },
    async reserve({ lane, messageId, signal }) {
      const integration = await findBounded(lane);
      if (!integration) return nothing;
      const sender = deps.getSender(integration.provider);
      if (!sender.reserve) return nothing;
      const { id: integrationId, settings, updatedAt } = integration;
      const credentials = deps.openCredentials(integration);
      const integrationVersion = String(updatedAt.getTime());
      const call = { integrationId, integrationVersion, settings, credentials, messageId };
      return sender.reserve(call, signal);
    },
  };
}
