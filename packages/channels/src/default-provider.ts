import type { AnyChannel } from './channel';

/** The provider whose request is shown for a message without an integration: that of its target, else the channel's first. */
export function getDefaultProvider(channel: AnyChannel, target: string): string {
  const provider = channel.getTargetProvider?.(target) ?? Object.keys(channel.providers)[0];
  if (provider === undefined) throw new Error('The channel has no provider');
  return provider;
}
