import type { LogEntry, LogMessage } from '@belfry/database';
import { type MessageState, messageStates } from '@belfry/shared';
import type { LogRow, PealSlot } from '../api/log';

/** A request as a row: whom it was for, and each channel's state at its place in the peal. */
export function logRowOf(entry: LogEntry): LogRow {
  const { requestId, acceptedAt, event, kind, items, plannedItems, isSandbox, isSensitive } = entry;
  const peal = entry.channels.map((channel) => [channel, slotOf(channel, entry)] as const);
  return {
    requestId,
    acceptedAt: acceptedAt.getTime(),
    event,
    kind: kindOf(kind),
    items,
    plannedItems,
    recipient: items > 1 ? null : recipientOf(entry),
    peal: Object.fromEntries(peal),
    isSandbox,
    isSensitive,
  };
}

/** From nothing done to as far as a message can get: a channel with several messages shows the best. */
const bestFirst: readonly MessageState[] = [
  'read',
  'delivered',
  'sent',
  'sending',
  'queued',
  'unknown',
  'failed',
  'skipped',
];

type Slots = Pick<LogEntry, 'items' | 'messages' | 'skips' | 'plannedItems'>;

export function slotOf(channel: string, { items, messages, skips, plannedItems }: Slots): PealSlot {
  const newest = newestOf(messages.filter((message) => message.channel === channel));
  const best = bestFirst.find((state) => newest.some((message) => message.state === state));
  const counts = items > 1 ? { counts: countStates(newest) } : {};
  if (best !== undefined) {
    const reason = newest.find(({ state }) => state === best)?.reason;
    return { state: best, ...(reason ? { reason } : {}), ...counts };
  }
  const skip = skips[channel];
  if (skip && items === 1) return { state: 'skipped', reason: skip.reason, ...counts };
  // Of a bulk only item 0's skips are read here; what is left to plan may still have messages.
  return { state: plannedItems < items ? 'queued' : 'skipped', ...counts };
}

/** A resend stands in for what it was made from. */
function newestOf(messages: readonly LogMessage[]): LogMessage[] {
  const newest = new Map<string, LogMessage>();
  for (const message of messages) {
    const key = `${message.item} ${message.target}`;
    const known = newest.get(key);
    if (!known || known.generation < message.generation) newest.set(key, message);
  }
  return [...newest.values()];
}

function countStates(messages: readonly LogMessage[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of messages) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** What a person would call the recipient: an address that was given, else the stored user's id. */
function recipientOf({ recipient, messages }: LogEntry): string | null {
  const user: unknown = recipient === null ? undefined : JSON.parse(recipient);
  const fields = new Map(Object.entries(typeof user === 'object' && user !== null ? user : {}));
  const slack = fields.get('slack');
  const nested = new Map(Object.entries(typeof slack === 'object' && slack !== null ? slack : {}));
  const given = [
    fields.get('email'),
    fields.get('mobile'),
    fields.get('whatsapp_mobile'),
    nested.get('channel_id'),
    nested.get('email'),
    fields.get('user_id'),
  ].find((value) => typeof value === 'string' && value !== '');
  return typeof given === 'string' ? given : (messages[0]?.target ?? null);
}

function kindOf(kind: string): LogRow['kind'] {
  return kind === 'bulk' || kind === 'test' || kind === 'resend' ? kind : 'single';
}

export function isFinal(state: string): boolean {
  const known: Record<string, { isFinal: boolean }> = messageStates;
  return known[state]?.isFinal ?? true;
}
