import { type Static, Type } from '@sinclair/typebox';
import { integrationHealth } from './integrations';
import { logFilters } from './log';
import type { RouteSpec } from './route-spec';
import { createChoice, nullable, time } from './schemas';

/** The last 60 minutes by minute, 24 hours by 15 minutes, or 7 days by 2 hours. */
export const overviewPeriods = ['hour', 'day', 'week'] as const;
export type OverviewPeriod = (typeof overviewPeriods)[number];

/**
 * Messages whose request was accepted in this time, by their state now: the counts of the log with the same filter. Messages
 * that were resent are not counted.
 */
const counts = {
  /** Queued or sending. */
  waiting: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  unknown: Type.Integer(),
};
const overviewCounts = Type.Object(counts);
export type OverviewCounts = Static<typeof overviewCounts>;

/** From acceptance to the provider's call, of single sends without a schedule; each time is known to within 41 %. */
const latency = Type.Object({
  messages: Type.Integer(),
  p50Ms: Type.Number(),
  p95Ms: Type.Number(),
});
export type OverviewLatency = Static<typeof latency>;

/** Counts of the step that starts `at`. */
const point = Type.Object({ at: time, ...counts, latency: nullable(latency) });
export type OverviewPoint = Static<typeof point>;

const summary = {
  totals: overviewCounts,
  /** Failed messages, from 0 to 1, of those that are not waiting or skipped; null without any. */
  failureRate: nullable(Type.Number()),
  latency: nullable(latency),
  /** One per step, oldest first. */
  points: Type.Array(point),
};

/** A reason for which messages failed, and the filter of the log that shows them. */
const failure = Type.Object({
  channel: Type.String(),
  /** A key of the failure reasons; empty if there is none. */
  reason: Type.String(),
  messages: Type.Integer(),
  filters: Type.Object({ ...logFilters.properties, reason: Type.Optional(Type.String()) }),
});
export type OverviewFailure = Static<typeof failure>;

const unhealthyIntegration = Type.Object({
  id: Type.String(),
  name: Type.String(),
  channel: Type.String(),
  provider: Type.String(),
  health: integrationHealth,
  stateReason: nullable(Type.String()),
});
export type UnhealthyIntegration = Static<typeof unhealthyIntegration>;

const backlog = Type.Object({
  channel: Type.String(),
  /** Messages that are due now; more if `isCapped`. */
  waiting: Type.Integer(),
  isCapped: Type.Boolean(),
  /** Messages that providers accepted per second in the last 5 minutes. */
  perSecond: Type.Number(),
  /** Waiting messages divided by this rate; null if none was accepted. */
  drainMs: nullable(Type.Number()),
});
export type OverviewBacklog = Static<typeof backlog>;

const overview = Type.Object({
  period: createChoice(overviewPeriods),
  /** The steps start at `from`; the last one ends at `to`, which may be in the future. */
  from: time,
  to: time,
  stepMs: Type.Integer(),
  readAt: time,
  /** When the newest minute was counted: every 15 s while a relay runs. Null if none was. */
  countedAt: nullable(time),
  /** Minutes of the period that were never counted, such as after an upgrade. */
  uncountedMinutes: Type.Integer(),
  ...summary,
  /** Channels with messages in this period. */
  channels: Type.Array(Type.Object({ channel: Type.String(), ...summary })),
  /** The 10 most frequent ones. */
  failures: Type.Array(failure),
  unhealthyIntegrations: Type.Array(unhealthyIntegration),
  healthyIntegrations: Type.Integer(),
  untestedIntegrations: Type.Integer(),
  /** Channels with messages that are due now. */
  backlog: Type.Array(backlog),
});
export type OverviewAnswer = Static<typeof overview>;

export const overviewRoutes = {
  'GET /api/apps/:appId/overview': {
    access: 'viewer',
    /** `period` is hour (default), day or week. */
    query: Type.Object({ period: Type.Optional(Type.String()) }),
    answer: overview,
  },
} as const satisfies Record<string, RouteSpec>;
