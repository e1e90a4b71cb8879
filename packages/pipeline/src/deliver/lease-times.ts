import { type AnyChannel, type ChannelName, channels } from '@belfry/channels';
import type { Env } from '@belfry/runtime';
import { longestPaceMs } from './rate-limits';

/**
 * For the claim, for what is read of the message and for composing it, all together. Whoever takes longer does not call, and
 * gives the message back.
 */
const slackMs = 2_000;

/** How long one attempt on a channel may take, all its calls together. */
export function getDeadlineMs(channel: ChannelName, env: Env<'worker'>): number {
  return env.SEND_TIMEOUT_MS === 0 ? channels[channel].deadlineMs : env.SEND_TIMEOUT_MS;
}

/** How long files, access tokens and connections may take before an attempt begins. */
export function getPreparationMs(channel: ChannelName): number {
  const { preparationMs = 0 }: AnyChannel = channels[channel];
  return preparationMs;
}

/** How long a claimed message is its worker's. */
export function getLeaseMs(channel: ChannelName, env: Env<'worker'>): number {
  return slackMs + getPreparationMs(channel) + longestPaceMs + getDeadlineMs(channel, env);
}
