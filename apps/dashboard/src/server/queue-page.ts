import type { AccountAppRow, AppIntegrationRow, WorkerHeartbeat } from '@belfry/database';
import {
  type PauseRow,
  type RateRow,
  rateSlotSeconds,
  rateSlots,
  type WaitRow,
} from '@belfry/pipeline/operate';
import { getDeliverQueue, type QueueReason, queueReasonNames } from '@belfry/shared';
import type { ChannelQueue, IntegrationQueue, WaitCount, WaitCounts } from '../api/queues';
import { toHealthAnswer } from './integration-health';

/** A worker sends a heartbeat every 5 s. */
export const aliveSeconds = 20;

export type QueueFactsRead = {
  waits: readonly WaitRow[];
  pauses: readonly PauseRow[];
  workers: readonly WorkerHeartbeat[];
  apps: readonly Pick<AccountAppRow, 'id'>[];
  rates: readonly RateRow[];
  readAt: Date;
};

/** One row per channel: waiting messages, workers, and a description of any problem. */
export function toChannelQueue(channel: string, read: QueueFactsRead): ChannelQueue {
  const { workers, readAt } = read;
  const channelWorkers = workers.filter(({ roles }) => roles.includes(getDeliverQueue(channel)));
  const aliveWorkers = channelWorkers.filter(
    ({ heartbeatSeconds }) => heartbeatSeconds <= aliveSeconds,
  );
  const queue = {
    channel,
    ...sumWaits(read.waits.filter((row) => row.channel === channel)),
    ...computeRates(channel, read.rates),
    workers: aliveWorkers.map(({ id, heartbeatSeconds }) => ({
      id,
      heartbeatAt: toHeartbeatTime(readAt, heartbeatSeconds),
    })),
    noWorkerSince: aliveWorkers.length === 0 ? getLastHeartbeat(channelWorkers, readAt) : null,
    ...getPause(channel, read),
  };
  return { ...queue, sentence: describeProblem(queue) };
}

/** Sums counts over apps and channels. */
export function sumWaits(rows: readonly WaitRow[]): WaitCounts {
  const count = (isCounted: (row: WaitRow) => boolean) => sumCounts(rows.filter(isCounted));
  return {
    queued: count(({ reason }) => reason !== 'sending'),
    // Safe cast: these are all reasons.
    reasons: Object.fromEntries(
      queueReasonNames.map((name) => [name, count(({ reason }) => reason === name)]),
    ) as Record<QueueReason, WaitCount>,
    sending: count(({ reason }) => reason === 'sending'),
  };
}

function sumCounts(rows: readonly WaitRow[]): WaitCount {
  const nextDues = rows.flatMap(({ nextDueAt }) => nextDueAt?.getTime() ?? []);
  return {
    messages: rows.reduce((sum, { messages }) => sum + messages, 0),
    isCapped: rows.some(({ isCapped }) => isCapped),
    oldestAt: min(rows.map(({ oldestAt }) => oldestAt.getTime())),
    nextDueAt: min(nextDues),
  };
}

const min = (times: number[]) => (times.length === 0 ? null : Math.min(...times));

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
  const { channel, queued, reasons, workers, isPaused } = queue;
  const safe = queued.messages > 0 ? `${formatWaiting(queued)} in PostgreSQL; none is lost. ` : '';
  if (workers.length === 0) {
    return `${safe}No worker serves ${channel}. Start a process with the role ${getDeliverQueue(channel)}.`;
  }
  if (isPaused) return `${safe}${channel} is paused. Resume it to send the waiting messages.`;
  if (reasons.needs_attention.messages > 0) {
    return `${formatWaiting(reasons.needs_attention)} for an integration that needs attention; none is lost.`;
  }
  if (reasons.circuit.messages > 0) {
    return `${formatWaiting(reasons.circuit)} for an integration that does not answer; none is lost. Belfry tries it again every 30 s.`;
  }
  return null;
}

function formatWaiting({ messages, isCapped }: WaitCount): string {
  if (messages === 1 && !isCapped) return '1 message waits';
  return `${messages.toLocaleString('en-US')}${isCapped ? '+' : ''} messages wait`;
}

export function toIntegrationQueue(
  appId: string,
  row: AppIntegrationRow,
  now: Date,
): IntegrationQueue {
  const { id, name, channel, provider, state, stateReason, waiting, isWaitingCapped } = row;
  const health = toHealthAnswer(row, now);
  return {
    ...{ id, appId, name, channel, provider, state, stateReason },
    ...{ health, waiting, isWaitingCapped },
  };
}
