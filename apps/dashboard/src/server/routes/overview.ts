import type { AppIntegrations } from '@belfry/database';
import type { Overview, QueueFacts } from '@belfry/pipeline/operate';
import {
  type OverviewPeriod,
  overviewPeriods,
  type UnhealthyIntegration,
} from '../../api/overview';
import { toHealthAnswer } from '../integration-health';
import { createPeriod, listBacklog, summarize, toFailure } from '../overview-page';
import { Refusal } from '../problem';
import type { Handlers } from '../route';

export type OverviewHandlersDeps = {
  channelNames: readonly string[];
  overview: Overview;
  facts: Pick<QueueFacts, 'countWaits' | 'readRates'>;
  listUnhealthyIntegrations(appId: string, now: Date): Promise<UnhealthyIntegration[]>;
  now: () => Date;
};

/** Counts, failures and backlog of an app over the last hour, day or week. */
export function createOverviewHandlers(deps: OverviewHandlersDeps) {
  const { overview, facts, channelNames } = deps;

  return {
    async 'GET /api/apps/:appId/overview'({ app, query }) {
      const name = readPeriod(query.period);
      const readAt = deps.now().getTime();
      const period = createPeriod(name, readAt);
      const range = { ...period, from: new Date(period.from), appId: app.id };
      const [rows, latencies, failures, progress, unhealthyIntegrations, waits, rates] =
        await Promise.all([
          overview.readPoints(range),
          overview.readLatencies(range),
          overview.readFailures(range),
          overview.readProgress(range.from),
          deps.listUnhealthyIntegrations(app.id, new Date(readAt)),
          facts.countWaits([app.id], channelNames),
          facts.readRates([app.id]),
        ]);
      return {
        period: name,
        from: period.from,
        to: period.to,
        stepMs: period.stepMs,
        readAt,
        countedAt: progress.countedAt?.getTime() ?? null,
        uncountedMinutes: progress.uncounted,
        ...summarize(period, { rows, latencies }),
        failures: failures.map((failure) => toFailure(period, failure)),
        unhealthyIntegrations,
        backlog: listBacklog(waits, rates),
      };
    },
  } satisfies Partial<Handlers>;
}

function readPeriod(text: string | undefined): OverviewPeriod {
  const period = overviewPeriods.find((each) => each === (text ?? 'hour'));
  if (!period) throw new Refusal('bad_request', 'period must be hour, day or week.');
  return period;
}

/** Integrations that are neither healthy nor untested. */
export function createListUnhealthyIntegrations(integrations: Pick<AppIntegrations, 'list'>) {
  return async (appId: string, now: Date): Promise<UnhealthyIntegration[]> => {
    const rows = await integrations.list(appId);
    return rows.flatMap((row) => {
      const { id, name, channel, provider, stateReason } = row;
      const health = toHealthAnswer(row, now);
      const isFine = health.verdict === 'healthy' || health.verdict === 'untested';
      return isFine ? [] : [{ id, name, channel, provider, stateReason, health }];
    });
  };
}
