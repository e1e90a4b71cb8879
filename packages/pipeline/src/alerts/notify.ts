import { createLoop, type Logger, type Loop, withinTime } from '@belfry/runtime';
import { judgeHealth } from '@belfry/shared';
import type pg from 'pg';
import {
  claimNotifications,
  listSending,
  type Notice,
  recordTry,
  type SendingIntegration,
  type TryResult,
} from './notifications.sql';
import type { SendAlert } from './send-alert';
import { writeAlertText } from './write-text';

export type NotifierDeps = {
  pool: pg.Pool;
  send: SendAlert;
  /** PostgreSQL's time. */
  now(): Promise<Date>;
  dashboardUrl: string;
  everyMs: number;
  log: Logger;
};

export type Notifier = Loop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
};

const claimedPerRun = 10;
/** Longer than a try, whose sender ends after 30 s. A process that dies gives its notifications back then. */
export const noticeLeaseMs = 60_000;
/** Delays before the second and each later try. */
const retryAfterMs = [10_000, 60_000, 5 * 60_000, 15 * 60_000];
const maxTries = retryAfterMs.length + 1;
/** A try that is cut off is repeated by another process. */
const closeTimeoutMs = 1_000;

/** Sends due notifications, at least once each. Any number of processes may run it. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const { pool, log, everyMs } = deps;
  const loop = createLoop(runOnce, () => everyMs);

  async function runOnce(): Promise<void> {
    try {
      const now = await deps.now();
      const due = { now, leaseMs: noticeLeaseMs, limit: claimedPerRun };
      const notices = await claimNotifications(pool, due);
      await Promise.all(notices.map(sendOne));
    } catch (error) {
      log.warn('alerts.not_sent', { error });
    }
  }

  async function sendOne(notice: Notice): Promise<void> {
    try {
      const result = await tryOnce(deps, notice);
      await recordTry(pool, notice, { ...result, now: await deps.now() });
    } catch (error) {
      log.warn('alerts.try_failed', { app_id: notice.appId, error });
    }
  }

  return {
    runOnce,
    start: loop.start,
    close: async () => void (await withinTime(loop.close(), closeTimeoutMs)),
  };
}

type Way = { integration: SendingIntegration; to: string[] };

async function tryOnce(deps: NotifierDeps, notice: Notice): Promise<TryResult> {
  const now = await deps.now();
  const { ways, obstacles } = await findWays(deps.pool, notice, now);
  // Tries alternate between the integrations, because one of them failed at the last try.
  const way = ways[(notice.tries - 1) % Math.max(1, ways.length)];
  if (!way) {
    return { outcome: 'not_sent', nextAt: null, sentBy: null, detail: obstacles.join(' ') };
  }
  const { integration, to } = way;
  const text = writeAlertText(notice, deps.dashboardUrl);
  const { isSent, detail } = await deps.send({ id: notice.id, integration, to, text });
  const sentBy = integration.name;
  if (isSent) return { outcome: 'sent', nextAt: null, sentBy, detail: null };
  if (notice.tries >= maxTries) return { outcome: 'failed', nextAt: null, sentBy, detail };
  const waitMs = retryAfterMs[notice.tries - 1] ?? 0;
  return { outcome: 'waiting', nextAt: new Date(now.getTime() + waitMs), sentBy, detail };
}

/** The integrations of the rule that may send: never one that fails, nor one that the alert is about. */
async function findWays(
  pool: pg.Pool,
  notice: Notice,
  now: Date,
): Promise<{ ways: Way[]; obstacles: string[] }> {
  const targets = [
    { id: notice.sendBy, to: notice.sendTo },
    { id: notice.fallbackBy, to: notice.fallbackTo },
  ].flatMap(({ id, to }) => (id === null ? [] : [{ id, to }]));
  const ids = targets.map(({ id }) => id);
  const rows = await listSending(pool, { appId: notice.appId, ids });
  const ways: Way[] = [];
  const obstacles: string[] = [];
  for (const { id, to } of targets) {
    const integration = rows.find((row) => row.id === id);
    const obstacle = findObstacle(integration, notice, now);
    if (integration && obstacle === undefined) ways.push({ integration, to });
    else if (obstacle !== undefined) obstacles.push(obstacle);
  }
  return { ways, obstacles };
}

function findObstacle(
  integration: SendingIntegration | undefined,
  { noticeKind, integrationIds }: Notice,
  now: Date,
): string | undefined {
  if (!integration) return 'Not sent: its integration was removed.';
  const { id, name } = integration;
  if (noticeKind !== 'resolved' && integrationIds.includes(id)) {
    return `Not sent: its integration ${name} is the failing one.`;
  }
  const verdict = judgeHealth(integration, now);
  if (verdict === 'failing' || verdict === 'needs_attention') {
    return `Not sent: its integration ${name} does not work.`;
  }
  return undefined;
}
