import type { Database, LookUps } from '@belfry/database';
import { type Logger, type Loop, newId } from '@belfry/runtime';
import type { FanOutJob } from '@belfry/shared';
import { createFanOut, type FanOutDeps } from './fan-out';
import { findUnplannedRequest, listUnplannedItems, writePlans } from './fan-out.sql';
import type { Queues } from './queues';
import { carryOutResend } from './resend-by-filter.sql';
import { createResends } from './run-resends';

/** The services of a worker that planning uses. */
export type PlanningServices = Pick<
  FanOutDeps,
  'findVersion' | 'findApp' | 'readStoredRecipient' | 'plan' | 'secrets' | 'tracing'
> & {
  log: Logger;
  database: Database;
  lookUps: Pick<LookUps, 'findUsers'>;
};

/** Plans the items of the request of a job. */
export function createPlanning(services: PlanningServices): (job: FanOutJob) => Promise<void> {
  const { database, lookUps } = services;
  return createFanOut({
    ...services,
    findUnplannedRequest: (requestId) => findUnplannedRequest(database.delivery, requestId),
    listUnplannedItems: (page) => listUnplannedItems(database.delivery, page),
    writePlans: (request, chunk) => writePlans(database.hot, request, chunk),
    findUsers: lookUps.findUsers,
    newId,
  });
}

/** Carries out resends by filter. */
export function createResendLoop({
  database,
  queues,
  log,
}: Pick<PlanningServices, 'database' | 'log'> & { queues: Pick<Queues, 'wakeRelay'> }): Loop {
  const { wakeRelay } = queues;
  return createResends({ carryOut: () => carryOutResend(database.delivery), wakeRelay, log });
}
