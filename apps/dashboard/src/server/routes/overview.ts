import type { AppIntegrations } from '@belfry/database';
import type { Overview, QueueFacts } from '@belfry/pipeline/operate';
import {
  type OverviewAnswer,
  type OverviewPeriod,
  overviewPeriods,
  type UnhealthyIntegration,
} from '../../api/overview';
import { toHealthAnswer } from '../integration-health';
import { createPeriod, listBacklog, summarize, toFailure } from '../overview-page';
import { Refusal } from '../problem';
import type { Handlers } from '../route';

type CheckedIntegrations = Pick<
  OverviewAnswer,
  'unhealthyIntegrations' | 'healthyIntegrations' | 'untestedIntegrations'
>;

export type OverviewHandlersDeps = {
  channelNames: readonly string[];
  overview: Overview;
  facts: Pick<QueueFacts, 'countWaits' | 'readRates'>;
  checkIntegrations(appId: string, now: Date): Promise<CheckedIntegrations>;
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
      const [rows, latencies, failures, progress, checkedIntegrations, waits, rates] =
        await Promise.all([
          overview.readPoints(range),
          overview.readLatencies(range),
          overview.readFailures(range),
          overview.readProgress(range.from),
          deps.checkIntegrations(app.id, new Date(readAt)),
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
        ...checkedIntegrations,
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

/** Counts healthy and untested integrations, and lists the others. */
export function createCheckIntegrations(integrations: Pick<AppIntegrations, 'list'>) {
  return async (appId: string, now: Date): Promise<CheckedIntegrations> => {
    const rows = await integrations.list(appId);
    const all = rows.map((row): UnhealthyIntegration => {
      const { id, name, channel, provider, stateReason } = row;
      return { id, name, channel, provider, stateReason, health: toHealthAnswer(row, now) };
    });
    const isHealthy = ({ health }: UnhealthyIntegration) => health.verdict === 'healthy';
    const isUntested = ({ health }: UnhealthyIntegration) => health.verdict === 'untested';
    return {
      unhealthyIntegrations: all.filter((each) => !isHealthy(each) && !isUntested(each)),
      healthyIntegrations: all.filter(isHealthy).length,
      untestedIntegrations: all.filter(isUntested).length,
    };
  };
}
