import type { AccountAppRow, AppIntegrationRow, WorkerHeartbeat } from '@belfry/database';
import {
  type ChannelFacts,
  type PauseRow,
  queueCountedTo,
  type RateRow,
  rateSlotSeconds,
  rateSlots,
} from '@belfry/pipeline/operate';
import { getDeliverQueue } from '@belfry/shared';
import type { ChannelQueue, IntegrationQueue } from '../api/queues';

/** A worker sends a heartbeat every 5 s. */
export const aliveSeconds = 20;

export type QueueFactsRead = {
  facts: readonly ChannelFacts[];
  pauses: readonly PauseRow[];
  workers: readonly WorkerHeartbeat[];
  apps: readonly Pick<AccountAppRow, 'id'>[];
  rates: readonly RateRow[];
  readAt: Date;
};

/** One row per channel: waiting messages, workers, and a description of any problem. */
export function toChannelQueue(channel: string, read: QueueFactsRead): ChannelQueue {
  const { facts, workers, readAt } = read;
  const channelFacts = facts.find((each) => each.channel === channel);
  const channelWorkers = workers.filter(({ roles }) => roles.includes(getDeliverQueue(channel)));
  const aliveWorkers = channelWorkers.filter(
    ({ heartbeatSeconds }) => heartbeatSeconds <= aliveSeconds,
  );
  const queue = {
    ...summarizeWaiting(channel, channelFacts, readAt),
    ...computeRates(channel, read.rates),
    workers: aliveWorkers.map(({ id, heartbeatSeconds }) => ({
      id,
      heartbeatAt: toHeartbeatTime(readAt, heartbeatSeconds),
    })),
    noWorkerSince: aliveWorkers.length === 0 ? getLastHeartbeat(channelWorkers, readAt) : null,
    ...getPause(channel, read),
    countedTo: queueCountedTo,
  };
  return { ...queue, sentence: describeProblem(queue) };
}

const noFacts: Omit<ChannelFacts, 'channel'> = {
  waiting: 0,
  oldestAt: null,
  inFlight: 0,
  retrying: 0,
  nextRetryAt: null,
  needsAttention: 0,
  scheduled: 0,
  blocked: { circuit: 0, limit: 0, connections: 0 },
};

function summarizeWaiting(channel: string, facts: ChannelFacts | undefined, readAt: Date) {
  const { oldestAt, nextRetryAt, ...counts } = facts ?? noFacts;
  return {
    ...counts,
    channel,
    oldestMs: oldestAt && Math.max(0, readAt.getTime() - oldestAt.getTime()),
    nextRetryAt: nextRetryAt?.getTime() ?? null,
  };
}

const slotsOfMinute = 60 / rateSlotSeconds;

function computeRates(channel: string, rows: readonly RateRow[]) {
  const rates = Array.from({ length: rateSlots }, () => 0);
  for (const row of rows) {
    if (row.channel === channel)
      rates[rateSlots - 1 - row.slotsAgo] = row.accepted / rateSlotSeconds;
  }
  const recentRates = rates.slice(-slotsOfMinute);
  return {
    rates,
    perSecond: recentRates.reduce((sum, rate) => sum + rate, 0) / slotsOfMinute,
    peakPerSecond: Math.max(...rates),
  };
}

/** A channel counts as paused if it is paused in every requested app. */
function getPause(channel: string, { pauses, apps }: QueueFactsRead) {
  const [pause, ...otherPauses] = pauses.filter((each) => each.channel === channel);
  if (!pause || otherPauses.length + 1 < apps.length) {
    return { isPaused: false, pausedAt: null, pausedBy: null };
  }
  return { isPaused: true, pausedAt: pause.pausedAt.getTime(), pausedBy: pause.pausedBy };
}

function toHeartbeatTime(readAt: Date, secondsAgo: number): number {
  return Math.round(readAt.getTime() - secondsAgo * 1_000);
}

function getLastHeartbeat(workers: readonly WorkerHeartbeat[], readAt: Date): number | null {
  if (workers.length === 0) return null;
  return toHeartbeatTime(
    readAt,
    Math.min(...workers.map(({ heartbeatSeconds }) => heartbeatSeconds)),
  );
}

function describeProblem(queue: Omit<ChannelQueue, 'sentence'>): string | null {
  const { channel, waiting, workers, isPaused, needsAttention, blocked } = queue;
  const safe = waiting > 0 ? `${formatWaiting(waiting)} in PostgreSQL; none is lost. ` : '';
  if (workers.length === 0) {
    return `${safe}No worker serves ${channel}. Start a process with the role ${getDeliverQueue(channel)}.`;
  }
  if (isPaused) return `${safe}${channel} is paused. Resume it to send the waiting messages.`;
  if (needsAttention > 0) {
    return `${formatWaiting(needsAttention)} for an integration that needs attention; none is lost.`;
  }
  if (blocked.circuit > 0) {
    return `${formatWaiting(blocked.circuit)} for an integration that does not answer; none is lost. Belfry tries it again every 30 s.`;
  }
  return null;
}

function formatWaiting(count: number): string {
  return count === 1 ? '1 message waits' : `${count} messages wait`;
}

export function toIntegrationQueue(appId: string, row: AppIntegrationRow): IntegrationQueue {
  const { id, name, channel, provider, state, stateReason, waiting } = row;
  return { id, appId, name, channel, provider, state, stateReason, waiting };
}
