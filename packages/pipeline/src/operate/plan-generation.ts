import type { VersionDefinition } from '@belfry/shared';

/** What a message that is sent again goes by. */
export type PlannedGeneration = {
  /** Undefined in the sandbox, which asks no integration for permission. */
  integrationId: string | undefined;
  timeToLiveMs: number;
};

export type GenerationInput = {
  channel: string;
  /** Of the version that the request was accepted with. */
  definition: VersionDefinition;
  /** A setting of the app. */
  delivery: 'sandbox' | 'live';
  /** Integrations of the version that are still there. */
  usable: ReadonlySet<string>;
};

/** By the version that was pinned, from the begin of its chain; undefined where nobody of that is left. */
export function planGeneration({
  channel,
  definition,
  delivery,
  usable,
}: GenerationInput): PlannedGeneration | undefined {
  const version = definition.channels[channel];
  if (!version) throw new Error('A message of a channel that its version does not have');
  const { timeToLiveMs } = version.policy;
  if ((definition.delivery ?? delivery) === 'sandbox') {
    return { integrationId: undefined, timeToLiveMs };
  }
  const integrationId = version.integrationIds.find((id) => usable.has(id));
  // A channel such as in_app has none and needs none.
  if (integrationId === undefined && version.integrationIds.length > 0) return undefined;
  return { integrationId, timeToLiveMs };
}

/** Every integration that a version may go by. */
export function listIntegrationIds({ channels }: VersionDefinition): string[] {
  return Object.values(channels).flatMap(({ integrationIds }) => integrationIds);
}
