import {
  type AccountAppRow,
  type AppIntegrationRow,
  type ChannelFacts,
  type PauseRow,
  queueCountedTo,
  type RateRow,
  rateSlotSeconds,
  rateSlots,
  type WorkerLife,
} from '@belfry/database';
import { deliverQueue } from '@belfry/shared';
import type { ChannelQueue, IntegrationQueue } from '../api/queues';

/** A worker beats every 5 s. */
export const aliveSeconds = 20;

export type QueueFactsRead = {
  facts: readonly ChannelFacts[];
  pauses: readonly PauseRow[];
  workers: readonly WorkerLife[];
  apps: readonly Pick<AccountAppRow, 'id'>[];
  rates: readonly RateRow[];
  readAt: Date;
};

/** One line a channel: what waits, who is at work on it, and what to say when something is wrong. */
export function channelQueueOf(channel: string, read: QueueFactsRead): ChannelQueue {
  const { facts, workers, readAt } = read;
  const found = facts.find((each) => each.channel === channel);
  const having = workers.filter(({ roles }) => roles.includes(deliverQueue(channel)));
  const alive = having.filter(({ beatSeconds }) => beatSeconds <= aliveSeconds);
  const queue = {
    ...waitingOf(channel, found, readAt),
    ...ratesOf(channel, read.rates),
    workers: alive.map(({ id, beatSeconds }) => ({ id, beatAt: beatAt(readAt, beatSeconds) })),
    noWorkerSince: alive.length === 0 ? lastBeat(having, readAt) : null,
    ...pauseOf(channel, read),
    countedTo: queueCountedTo,
  };
  return { ...queue, sentence: sentenceOf(queue) };
}

const nothing: Omit<ChannelFacts, 'channel'> = {
  waiting: 0,
  oldestAt: null,
  inFlight: 0,
  retrying: 0,
  nextRetryAt: null,
  needsAttention: 0,
  scheduled: 0,
};

function waitingOf(channel: string, facts: ChannelFacts | undefined, readAt: Date) {
  const { oldestAt, nextRetryAt, ...counts } = facts ?? nothing;
  return {
    ...counts,
    channel,
    oldestMs: oldestAt && Math.max(0, readAt.getTime() - oldestAt.getTime()),
    nextRetryAt: nextRetryAt?.getTime() ?? null,
  };
}

const slotsOfMinute = 60 / rateSlotSeconds;

function ratesOf(channel: string, rows: readonly RateRow[]) {
  const rates = Array.from({ length: rateSlots }, () => 0);
  for (const row of rows) {
    if (row.channel === channel)
      rates[rateSlots - 1 - row.slotsAgo] = row.accepted / rateSlotSeconds;
  }
  const lately = rates.slice(-slotsOfMinute);
  return {
    rates,
    perSecond: lately.reduce((sum, rate) => sum + rate, 0) / slotsOfMinute,
    peakPerSecond: Math.max(...rates),
  };
}

/** A channel is paused when it is in every app that was asked for. */
function pauseOf(channel: string, { pauses, apps }: QueueFactsRead) {
  const [pause, ...others] = pauses.filter((each) => each.channel === channel);
  if (!pause || others.length + 1 < apps.length) {
    return { isPaused: false, pausedAt: null, pausedBy: null };
  }
  return { isPaused: true, pausedAt: pause.pausedAt.getTime(), pausedBy: pause.pausedBy };
}

function beatAt(readAt: Date, beatSeconds: number): number {
  return Math.round(readAt.getTime() - beatSeconds * 1_000);
}

function lastBeat(having: readonly WorkerLife[], readAt: Date): number | null {
  if (having.length === 0) return null;
  return beatAt(readAt, Math.min(...having.map(({ beatSeconds }) => beatSeconds)));
}

function sentenceOf(queue: Omit<ChannelQueue, 'sentence'>): string | null {
  const { channel, waiting, workers, isPaused, needsAttention } = queue;
  const safe = waiting > 0 ? `${messages(waiting)} in PostgreSQL and none is lost. ` : '';
  if (workers.length === 0) {
    return `${safe}No worker takes ${channel}: start a process with the role ${deliverQueue(channel)}.`;
  }
  if (isPaused) return `${safe}${channel} is paused: resume it to send what waits.`;
  if (needsAttention > 0) {
    return `None is lost: ${messages(needsAttention)} for an integration that needs attention.`;
  }
  return null;
}

function messages(count: number): string {
  return count === 1 ? '1 message waits' : `${count} messages wait`;
}

export function integrationQueueOf(appId: string, row: AppIntegrationRow): IntegrationQueue {
  const { id, name, channel, provider, state, stateReason, waiting } = row;
  return { id, appId, name, channel, provider, state, stateReason, waiting };
}
