import type { AnyChannel } from '@belfry/channels';
import { sandboxProvider } from '@belfry/channels';
import type { LogFilter } from '@belfry/database';
import type { LogFilters } from '../api/log';
import { Refusal } from './problem';
import { isUuid } from './route';

export type LogFilterDeps = {
  channels: Record<string, AnyChannel>;
  states: readonly string[];
  findEventIds(appId: string, name: string): Promise<string[]>;
};

/** What the log is asked for, in terms of the tables; undefined when nothing can match. */
export async function readLogFilter(
  appId: string,
  filters: LogFilters & { cursor?: string },
  deps: LogFilterDeps,
): Promise<LogFilter | undefined> {
  const { channel, state, provider, requestId, event } = filters;
  const eventIds = event === undefined ? undefined : await deps.findEventIds(appId, event);
  const providerChannels = provider === undefined ? undefined : carriedBy(provider, deps.channels);
  const isHopeless =
    eventIds?.length === 0 ||
    providerChannels?.length === 0 ||
    (channel !== undefined && !Object.hasOwn(deps.channels, channel)) ||
    (state !== undefined && !deps.states.includes(state)) ||
    (requestId !== undefined && !isUuid(requestId.toLowerCase()));
  if (isHopeless) return undefined;
  const stateChannels = state === undefined ? undefined : Object.keys(deps.channels);
  const channels = channel === undefined ? undefined : [channel];
  return {
    appId,
    ...bounds(filters),
    ...(requestId && { requestId: requestId.toLowerCase() }),
    ...(filters.idempotencyKey && { idempotencyKey: filters.idempotencyKey }),
    ...(filters.recipient && { recipient: filters.recipient }),
    ...(eventIds && { eventIds }),
    ...(channels && { channels }),
    ...(state && { states: [state] }),
    ...(provider && { provider }),
    ...((providerChannels ?? stateChannels) && {
      providerChannels: providerChannels ?? stateChannels ?? [],
    }),
  };
}

function carriedBy(provider: string, channels: Record<string, AnyChannel>): string[] {
  if (provider === sandboxProvider) return Object.keys(channels);
  return Object.entries(channels)
    .filter(([, { providers }]) => Object.hasOwn(providers, provider))
    .map(([name]) => name);
}

function bounds({
  from,
  to,
  cursor,
}: LogFilters & { cursor?: string }): Pick<LogFilter, 'from' | 'before'> {
  if (cursor !== undefined && !isUuid(cursor))
    throw new Refusal('bad_request', 'The cursor is none of ours.');
  const end = to === undefined ? undefined : idAt(readTime('to', to));
  const before = [cursor, end].filter((id) => id !== undefined).sort()[0];
  return {
    ...(from !== undefined && { from: idAt(readTime('from', from)) }),
    ...(before && { before }),
  };
}

/** The smallest id that a request of this moment can have: ids begin with the time. */
export function idAt(timeMs: number): string {
  const hex = Math.floor(timeMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const latestMs = 2 ** 48 - 1;

function readTime(name: string, text: string): number {
  const time = Number(text);
  if (/^\d{1,15}$/.test(text) && time <= latestMs) return time;
  throw new Refusal('bad_request', `${name} must be a time in Unix milliseconds.`);
}
