import type { LogEntry, LogMessage } from '@belfry/pipeline/operate';
import {
  countStates,
  defaultPolicy,
  type MessageState,
  messageStates,
  type StateGroup,
} from '@belfry/shared';
import type { ChannelSummary, LogRow, Wait } from '../api/log';
import { describeRecipient } from './recipient';

const shownLagMs = 2_000;

/** A replica is always a little behind; nobody notices less than 2 s. */
export function toLagSeconds(lagMs: number): number {
  return lagMs < shownLagMs ? 0 : Math.round(lagMs / 1_000);
}

/** A request as a log row: recipient and the state of each channel. */
export function toLogRow(entry: LogEntry): LogRow {
  const { requestId, acceptedAt, event, kind, items, plannedItems, isSandbox } = entry;
  const summaries = entry.channels.map((channel) => {
    const summary = summarizeChannel(channel, entry.groups);
    const wait = summary.state === 'queued' ? findWait(channel, entry) : undefined;
    return [channel, { ...summary, ...(wait && { wait }) }] as const;
  });
  return {
    requestId,
    acceptedAt: acceptedAt.getTime(),
    event,
    kind: toRowKind(kind),
    items,
    plannedItems,
    recipient: items > 1 ? null : describeRecipient(entry.recipient, entry.messages),
    channels: Object.fromEntries(summaries),
    isSandbox,
  };
}

/** Ordered from worst to best; a channel with several messages shows the best state. */
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

export function summarizeChannel(channel: string, groups: readonly StateGroup[]): ChannelSummary {
  const own = groups.filter((group) => group.channel === channel);
  const counts = countStates(own);
  const [best] = bestFirst.flatMap((state) => own.find((group) => group.state === state) ?? []);
  if (!best) return { state: 'skipped', counts };
  return { state: best.state, ...(best.reason ? { reason: best.reason } : {}), counts };
}

/** The message that is sent next represents its channel; one that is retrying goes first. */
function findWait(channel: string, { items, messages, maxAttempts }: LogEntry): Wait | undefined {
  if (items > 1) return undefined;
  const [first] = messages
    .filter((message) => message.channel === channel && message.waits !== null)
    .sort((a, b) => getRank(a) - getRank(b));
  return first && toWait({ ...first, maxAttempts: maxAttempts[channel] });
}

function getRank({ waits, dueAt }: LogMessage): number {
  return waits === 'retry' ? Number.NEGATIVE_INFINITY : (dueAt?.getTime() ?? 0);
}

export type WaitFacts = Pick<LogMessage, 'waits' | 'attempts' | 'dueAt'> & {
  maxAttempts: number | undefined;
};

/** Undefined unless the message is queued. */
export function toWait({ waits, attempts, dueAt, maxAttempts }: WaitFacts): Wait | undefined {
  if (waits === null) return undefined;
  return {
    reason: waits,
    attempts,
    maxAttempts: maxAttempts ?? defaultPolicy.attempts,
    dueAt: dueAt?.getTime() ?? null,
  };
}

function toRowKind(kind: string): LogRow['kind'] {
  return kind === 'bulk' || kind === 'test' || kind === 'resend' ? kind : 'single';
}

export function isFinal(state: string): boolean {
  const statesByName: Record<string, { isFinal: boolean }> = messageStates;
  return statesByName[state]?.isFinal ?? true;
}
