import type { AnyChannel } from '@belfry/channels';
import type { ChannelVersion } from '@belfry/shared';

/**
 * The version of a channel as one target may use it: with the integrations that can carry the target. On most channels all
 * of them can, and it is the version itself.
 */
export function narrowToTarget(
  channel: AnyChannel,
  version: ChannelVersion,
  target: string,
): ChannelVersion {
  const provider = channel.getTargetProvider?.(target);
  if (provider === undefined) return version;
  const [firstProvider] = Object.keys(channel.providers);
  // A version that was not read from the database has no list of providers.
  const isCarrier = (id: string) => (version.providers?.[id] ?? firstProvider) === provider;
  return { ...version, integrationIds: version.integrationIds.filter(isCarrier) };
}
