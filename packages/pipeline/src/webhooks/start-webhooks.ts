import { createGuardedHttp, parsePrivateHosts } from '@belfry/channels';
import { type Database, openWebhookSecrets } from '@belfry/database';
import {
  createLoop,
  type Env,
  type Logger,
  type Metrics,
  type Secrets,
  type Tracing,
} from '@belfry/runtime';
import type { Deadlines } from '../deliver/attempt';
import { createRunStep } from '../relay/run-step';
import { claimDeliveries } from './claim.sql';
import { completeRequests } from './complete-requests.sql';
import { recordFailure, recordSuccess } from './record.sql';
import { createWebhooks, type WebhooksDeps } from './run-webhooks';

/** The services of a worker that the webhooks use. */
export type WebhookServices = {
  env: Pick<Env<'worker'>, 'ALLOWED_PRIVATE_HOSTS'>;
  log: Logger;
  tracing?: Tracing | undefined;
  database: Pick<Database, 'delivery'>;
  secrets: Pick<Secrets, 'open'>;
  deadlines: Deadlines;
  metrics: Pick<Metrics, 'countWebhook'>;
};

const completeEveryMs = 1_000;

/** Delivers webhooks, and finds completed bulks, until it is closed. `times` shortens waits in tests. */
export function startWebhooks(
  { env, log, tracing, database, secrets, deadlines, metrics }: WebhookServices,
  times: Pick<WebhooksDeps, 'waitsMs' | 'timeoutMs' | 'idleMs'> = {},
): { close(): Promise<void> } {
  const pool = database.delivery;
  const http = createGuardedHttp({
    allowedPrivateHosts: parsePrivateHosts(env.ALLOWED_PRIVATE_HOSTS),
  });
  const webhooks = createWebhooks({
    http,
    claim: (options) => claimDeliveries(pool, options),
    openSecrets({ endpointId, secrets: sealed, hasPreviousSecret }) {
      const all = openWebhookSecrets({ id: endpointId, secrets: sealed }, secrets);
      return hasPreviousSecret ? all : all.slice(0, 1);
    },
    recordSuccess: (delivery, entry) => recordSuccess(pool, delivery, entry),
    recordFailure: (delivery, failure) => recordFailure(pool, delivery, failure),
    deadlines,
    countTry: (outcome) => metrics.countWebhook(outcome),
    random: Math.random,
    tracing,
    log,
    ...times,
  });
  const runStep = createRunStep(log);
  const completions = createLoop(
    async () => void (await runStep('complete requests', () => completeRequests(pool))),
    () => completeEveryMs,
  );
  webhooks.start();
  completions.start();
  return {
    async close() {
      await Promise.all([webhooks.close(), completions.close()]);
      http.close();
    },
  };
}
