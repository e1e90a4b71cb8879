import type { VersionDefinition } from '@belfry/shared';

/** The integration and time to live of a resent message. */
export type PlannedGeneration = {
  /** Undefined in the sandbox, which uses no integration. */
  integrationId: string | undefined;
  timeToLiveMs: number;
};

export type GenerationInput = {
  channel: string;
  /** The definition of the version that the request was accepted with. */
  definition: VersionDefinition;
  /** The app's setting. */
  delivery: 'sandbox' | 'live';
  /** Integrations of the version that were not removed. */
  usable: ReadonlySet<string>;
};

/** Starts at the first usable integration of the pinned version's chain; undefined if none is left. */
export function planGeneration({
  channel,
  definition,
  delivery,
  usable,
}: GenerationInput): PlannedGeneration | undefined {
  const version = definition.channels[channel];
  if (!version) throw new Error(`The version has no channel ${channel}`);
  const { timeToLiveMs } = version.policy;
  if ((definition.delivery ?? delivery) === 'sandbox') {
    return { integrationId: undefined, timeToLiveMs };
  }
  const integrationId = version.integrationIds.find((id) => usable.has(id));
  // A channel such as in_app needs no integration.
  if (integrationId === undefined && version.integrationIds.length > 0) return undefined;
  return { integrationId, timeToLiveMs };
}

/** Lists all integrations of a version. */
export function listIntegrationIds({ channels }: VersionDefinition): string[] {
  return Object.values(channels).flatMap(({ integrationIds }) => integrationIds);
}
