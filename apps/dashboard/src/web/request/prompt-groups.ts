import type { QueueReason } from '@belfry/shared';
import type { ChannelRow, MessageChannelRow } from '../../api/requests';
import { convertDates, formatMoment } from '../dates';
import { formatWait } from '../log/waits';

/** Messages that share a state and an action, such as all unknown ones. */
export type PromptGroup = {
  state: string;
  /** Resend, cancel, or nothing that helps. */
  action: 'resend' | 'cancel' | null;
  rows: MessageChannelRow[];
  /** Distinct sentences, each with the channels that it is about. */
  reasons: { channels: string[]; text: string }[];
};

/** Groups the messages that need a decision. A message that was resent needs none: the newer one replaces it. */
export function groupPrompts(channelRows: readonly ChannelRow[], now: number): PromptGroup[] {
  const groups = new Map<string, PromptGroup>();
  for (const row of listCurrent(channelRows)) {
    if (!needsAttention(row.state) && row.waits === null) continue;
    const action = getAction(row);
    const key = `${row.state} ${action}`;
    const group = groups.get(key) ?? { state: row.state, action, rows: [], reasons: [] };
    group.rows.push(row);
    addReason(group.reasons, row.channel, describe(row, now));
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Messages that were not resent. */
export function listCurrent(channelRows: readonly ChannelRow[]): MessageChannelRow[] {
  const messages = channelRows.filter((row): row is MessageChannelRow => row.kind === 'message');
  const resent = new Set(messages.map(({ resendOf }) => resendOf));
  return messages.filter(({ messageId }) => !resent.has(messageId));
}

const needsAttention = (state: string) => state === 'failed' || state === 'unknown';

function getAction({ state, can }: MessageChannelRow): PromptGroup['action'] {
  if (needsAttention(state)) return can.resend.isAllowed ? 'resend' : null;
  return can.cancel.isAllowed ? 'cancel' : null;
}

function addReason(reasons: PromptGroup['reasons'], channel: string, text: string): void {
  const same = reasons.find((reason) => reason.text === text);
  if (!same) reasons.push({ channels: [channel], text });
  else if (!same.channels.includes(channel)) same.channels.push(channel);
}

function describe({ state, waits, explanation, can }: MessageChannelRow, now: number): string {
  if (waits) return describeWait(waits, now);
  const because = needsAttention(state) ? can.resend.because : null;
  return convertDates([explanation?.what, explanation?.remedy, because].filter(Boolean).join(' '));
}

const dueLabels: Partial<Record<QueueReason, string>> = {
  due: 'Due since',
  schedule: 'Due at',
  paused: 'Next check at',
  needs_attention: 'Next check at',
};

function describeWait(wait: NonNullable<MessageChannelRow['waits']>, now: number): string {
  const { reason, dueAt, sentence } = wait;
  if (reason === 'retry') return `${formatWait(wait, now)}.`;
  if (dueAt === null || (reason === 'paused' && dueAt <= now)) return sentence;
  return `${sentence} ${dueLabels[reason] ?? 'Next attempt at'} ${formatMoment(dueAt, now)}.`;
}
