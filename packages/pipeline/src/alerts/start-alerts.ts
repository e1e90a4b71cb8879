import { createSenderDeps } from '@belfry/channels';
import { type Database, readDatabaseTime } from '@belfry/database';
import { type Env, type Logger, newId, type Secrets } from '@belfry/runtime';
import { withAlertsLock } from '../relay/retention-lock';
import { createEvaluation } from './evaluate';
import { createNotifier } from './notify';
import { createSendAlert } from './send-alert';

/** The services of a worker that alerts use. */
export type AlertServices = {
  env: Env<'worker'>;
  log: Logger;
  database: Database;
  secrets: Secrets;
};

/** Longest delay of a notification after its incident opened. */
const notifyEveryMs = 5_000;

/** Evaluates the alert rules of all apps and sends their notifications until it is closed. */
export function startAlerts({ env, log, database, secrets }: AlertServices): {
  close(): Promise<void>;
} {
  const pool = database.delivery;
  const now = async () => new Date(await readDatabaseTime(pool));
  const evaluation = createEvaluation({
    pool,
    withLock: (work) => withAlertsLock(pool, work),
    now,
    newId,
    everyMs: env.ALERT_EVALUATE_MS,
    log,
  });
  const notifier = createNotifier({
    pool,
    send: createSendAlert({ secrets, senderDeps: createSenderDeps(env) }),
    now,
    dashboardUrl: env.DASHBOARD_URL,
    everyMs: Math.min(notifyEveryMs, env.ALERT_EVALUATE_MS),
    log,
  });
  const loops = [evaluation, notifier];
  for (const loop of loops) loop.start();
  return {
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}
