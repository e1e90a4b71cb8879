import { type AnyChannel, type ChannelName, channels } from '@belfry/channels';
import type { Env } from '@belfry/runtime';
import { longestPaceMs } from './rate-limits';

/**
 * Time for the claim, reading the message and composing it, together. A worker that takes longer does not call the
 * provider and requeues the message.
 */
const slackMs = 2_000;

type TimeSettings = Pick<Env<'worker'>, 'SEND_TIMEOUT_MS'>;

/** Maximum duration of one attempt on a channel, including all its calls. */
export function getDeadlineMs(channel: ChannelName, env: TimeSettings): number {
  return env.SEND_TIMEOUT_MS === 0 ? channels[channel].deadlineMs : env.SEND_TIMEOUT_MS;
}

/** Maximum time for files, access tokens and connections before an attempt begins. */
export function getPreparationMs(channel: ChannelName): number {
  const { preparationMs = 0 }: AnyChannel = channels[channel];
  return preparationMs;
}

/** How long a claimed message belongs to its worker. */
export function getLeaseMs(channel: ChannelName, env: TimeSettings): number {
  return slackMs + getPreparationMs(channel) + longestPaceMs + getDeadlineMs(channel, env);
}
