import { type ChannelName, channels } from '@belfry/channels';
import type { Env } from '@belfry/runtime';

const leaseMarginMs = 5_000;

/** How long one attempt on a channel may take, all its calls together. */
export function deadlineMsOf(channel: ChannelName, env: Env<'worker'>): number {
  return env.SEND_TIMEOUT_MS === 0 ? channels[channel].deadlineMs : env.SEND_TIMEOUT_MS;
}

/** How long a claimed message is its worker's. */
export function leaseMsOf(channel: ChannelName, env: Env<'worker'>): number {
  return deadlineMsOf(channel, env) + leaseMarginMs;
}
