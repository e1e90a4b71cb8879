import { type AnyChannel, canonicalizeSearchedPhone, sandboxProvider } from '@belfry/channels';
import type { LogFilter } from '@belfry/pipeline/operate';
import { countedAs, failureReasons, isUuid, noReason, skipReasons } from '@belfry/shared';
import type { LogFilters } from '../api/log';
import { Refusal } from './problem';

export type LogFilterDeps = {
  channels: Record<string, AnyChannel>;
  findEventIds(appId: string, name: string): Promise<string[]>;
  findIntegrations(appId: string, name: string): Promise<{ id: string; channel: string }[]>;
  listUserIdsByAddress(appId: string, address: string): Promise<string[]>;
};

/** The states that a filter names: a state, or `waiting` for its two. Empty for an unknown name. */
export function listNamedStates(name: string): string[] {
  return Object.entries(countedAs).flatMap(([state, counter]) =>
    state === name || counter === name ? [state] : [],
  );
}

/** Converts log filters to table columns; undefined if nothing can match. */
export async function readLogFilter(
  appId: string,
  filters: LogFilters & { cursor?: string },
  deps: LogFilterDeps,
): Promise<LogFilter | undefined> {
  if (!canMatch(filters, deps)) return undefined;
  const { eventIds, integrations } = await findNamed(appId, filters, deps);
  if (eventIds?.length === 0 || integrations?.length === 0) return undefined;
  const { channel, reason, requestId, idempotencyKey, metadata, provider, waits } = filters;
  const state = waits === undefined ? (filters.state ?? findStateOfReason(reason)) : 'queued';
  const recipient = filters.recipient && canonicalizeSearchedPhone(filters.recipient);
  const all = {
    requestId: requestId?.toLowerCase(),
    idempotencyKey,
    metadata,
    recipient,
    recipientUserIds: recipient && (await deps.listUserIdsByAddress(appId, recipient)),
    provider,
    integrationIds: integrations?.map(({ id }) => id),
    reason,
    eventIds,
    channels: channel && [channel],
    states: state && listNamedStates(state),
    providerChannels:
      integrations?.map((one) => one.channel) ?? listSearchedChannels({ state, provider }, deps),
    waits,
  };
  const definedFilters = Object.entries(all).filter(([, value]) => value !== undefined);
  return { appId, ...readBounds(filters), ...Object.fromEntries(definedFilters) };
}

/** The events and integrations that have the names of the filters. */
async function findNamed(appId: string, { event, integration }: LogFilters, deps: LogFilterDeps) {
  const [eventIds, integrations] = await Promise.all([
    event === undefined ? undefined : deps.findEventIds(appId, event),
    integration === undefined ? undefined : deps.findIntegrations(appId, integration),
  ]);
  return { eventIds, integrations };
}

function canMatch(
  { channel, state, reason, provider, requestId, waits }: LogFilters,
  { channels }: LogFilterDeps,
): boolean {
  return (
    (channel === undefined || Object.hasOwn(channels, channel)) &&
    (state === undefined || listNamedStates(state).length > 0) &&
    (waits === undefined || state === undefined || listNamedStates(state).includes('queued')) &&
    (reason === undefined || findStateOfReason(reason) !== undefined) &&
    (provider === undefined || listChannelsWithProvider(provider, channels).length > 0) &&
    (requestId === undefined || isUuid(requestId.toLowerCase()))
  );
}

/**
 * A message has the reason in one state only, and the index of messages starts with channel and state. `no_reason` finds
 * failed messages.
 */
function findStateOfReason(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined;
  if (reason === noReason || Object.hasOwn(failureReasons, reason)) return 'failed';
  return Object.hasOwn(skipReasons, reason) ? 'skipped' : undefined;
}

/** For a state or provider without a channel: every channel that can have it. */
function listSearchedChannels(
  { state, provider }: { state: string | undefined; provider: string | undefined },
  { channels }: LogFilterDeps,
): string[] | undefined {
  if (provider !== undefined) return listChannelsWithProvider(provider, channels);
  return state === undefined ? undefined : Object.keys(channels);
}

function listChannelsWithProvider(
  provider: string,
  channels: Record<string, AnyChannel>,
): string[] {
  if (provider === sandboxProvider) return Object.keys(channels);
  return Object.entries(channels)
    .filter(([, { providers }]) => Object.hasOwn(providers, provider))
    .map(([name]) => name);
}

function readBounds({
  from,
  to,
  cursor,
}: LogFilters & { cursor?: string }): Pick<LogFilter, 'from' | 'before'> {
  if (cursor !== undefined && !isUuid(cursor))
    throw new Refusal(
      'bad_request',
      'The cursor is invalid. Use the `next` value of a previous page.',
    );
  const end = to === undefined ? undefined : idAt(readTime('to', to));
  const before = [cursor, end].filter((id) => id !== undefined).sort()[0];
  return {
    ...(from !== undefined && { from: idAt(readTime('from', from)) }),
    ...(before && { before }),
  };
}

/** The smallest possible request id at this time; ids start with the timestamp. */
export function idAt(timeMs: number): string {
  const hex = Math.floor(timeMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The time in a request id. */
export function toAcceptedAt(requestId: string): number {
  return Number.parseInt(requestId.replace('-', '').slice(0, 12), 16);
}

const latestMs = 2 ** 48 - 1;

export function readTime(name: string, text: string): number {
  const time = Number(text);
  if (/^\d{1,15}$/.test(text) && time <= latestMs) return time;
  throw new Refusal('bad_request', `${name} must be a time in Unix milliseconds.`);
}
