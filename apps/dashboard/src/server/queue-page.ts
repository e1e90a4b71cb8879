import {
  type AccountAppRow,
  type AppIntegrationRow,
  type ChannelFacts,
  type PauseRow,
  queueCountedTo,
  type WorkerLife,
} from '@belfry/database';
import { deliverQueue } from '@belfry/shared';
import type { ChannelQueue, IntegrationQueue } from '../api/queues';

/** A worker beats every 5 s. */
const aliveSeconds = 20;

export type QueueFactsRead = {
  facts: readonly ChannelFacts[];
  pauses: readonly PauseRow[];
  workers: readonly WorkerLife[];
  apps: readonly Pick<AccountAppRow, 'id'>[];
  readAt: Date;
};

/** One line a channel: what waits, who is at work on it, and what to say when something is wrong. */
export function channelQueueOf(channel: string, read: QueueFactsRead): ChannelQueue {
  const { facts, pauses, workers, apps, readAt } = read;
  const found = facts.find((each) => each.channel === channel);
  const paused = pauses.filter((pause) => pause.channel === channel);
  const [pause] = paused;
  const isPaused = apps.length > 0 && paused.length === apps.length;
  const having = workers.filter(({ roles }) => roles.includes(deliverQueue(channel)));
  const alive = having.filter(({ beatSeconds }) => beatSeconds <= aliveSeconds);
  const oldestAt = found?.oldestAt ?? null;
  const queue = {
    channel,
    waiting: found?.waiting ?? 0,
    oldestMs: oldestAt && Math.max(0, readAt.getTime() - oldestAt.getTime()),
    inFlight: found?.inFlight ?? 0,
    retrying: found?.retrying ?? 0,
    nextRetryAt: found?.nextRetryAt?.getTime() ?? null,
    needsAttention: found?.needsAttention ?? 0,
    scheduled: found?.scheduled ?? 0,
    workers: alive.map(({ id, beatSeconds }) => ({ id, beatAt: beatAt(readAt, beatSeconds) })),
    noWorkerSince: alive.length === 0 ? lastBeat(having, readAt) : null,
    isPaused,
    pausedAt: isPaused ? (pause?.pausedAt.getTime() ?? null) : null,
    pausedBy: isPaused ? (pause?.pausedBy ?? null) : null,
    countedTo: queueCountedTo,
  };
  return { ...queue, sentence: sentenceOf(queue) };
}

function beatAt(readAt: Date, beatSeconds: number): number {
  return Math.round(readAt.getTime() - beatSeconds * 1_000);
}

function lastBeat(having: readonly WorkerLife[], readAt: Date): number | null {
  if (having.length === 0) return null;
  return beatAt(readAt, Math.min(...having.map(({ beatSeconds }) => beatSeconds)));
}

function sentenceOf(queue: Omit<ChannelQueue, 'sentence'>): string | null {
  const { channel, waiting, workers, noWorkerSince, isPaused, needsAttention } = queue;
  const safe = waiting > 0 ? `${waiting} messages wait in PostgreSQL and none is lost. ` : '';
  if (workers.length === 0) {
    const since = noWorkerSince === null ? '' : ` since ${new Date(noWorkerSince).toISOString()}`;
    return `${safe}No worker takes ${channel}${since}: start a process with the role ${deliverQueue(channel)}.`;
  }
  if (isPaused) return `${safe}${channel} is paused: resume it to send what waits.`;
  if (needsAttention > 0) {
    return `None is lost: ${needsAttention} messages wait for an integration that needs attention.`;
  }
  return null;
}

export function integrationQueueOf(appId: string, row: AppIntegrationRow): IntegrationQueue {
  const { id, name, channel, provider, state, stateReason, waiting } = row;
  return { id, appId, name, channel, provider, state, stateReason, waiting };
}
