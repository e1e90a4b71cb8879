import { type QueueReason, queueReasonNames } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { integrationHealth } from './integrations';
import type { RouteSpec } from './route-spec';
import { createChoice, nullable, time } from './schemas';

const waitCount = Type.Object({
  messages: Type.Integer(),
  /** There are more: counts stop at 10,000 per app and channel and are shown as "10,000+". */
  isCapped: Type.Boolean(),
  /** When the oldest became due, for `due`; when it was created, for the other reasons. Null without a message. */
  oldestAt: nullable(time),
  /** When the next one becomes due, or the next lease ends. Null if none is later than now. */
  nextDueAt: nullable(time),
});
export type WaitCount = Static<typeof waitCount>;

const waitCounts = {
  /** The sum of `reasons`. The log shows these messages with `state=queued`. */
  queued: waitCount,
  /** By why they wait now. The log shows them with `waits=<reason>`. */
  reasons: Type.Unsafe<Record<QueueReason, WaitCount>>(
    Type.Object(Object.fromEntries(queueReasonNames.map((name) => [name, waitCount]))),
  ),
  /** Messages that are being sent. The log shows them with `state=sending`. */
  sending: waitCount,
};
const waits = Type.Object(waitCounts);
export type WaitCounts = Static<typeof waits>;

const appQueue = Type.Object({ appId: Type.String(), name: Type.String(), ...waitCounts });
export type AppQueue = Static<typeof appQueue>;

const channelQueue = Type.Object({
  channel: Type.String(),
  ...waitCounts,
  /** Messages per second accepted by providers in the last 30 minutes, one value per 30 s, oldest first. */
  rates: Type.Array(Type.Number()),
  /** Messages per second over the last minute, and the peak of the last 30 minutes. */
  perSecond: Type.Number(),
  peakPerSecond: Type.Number(),
  workers: Type.Array(Type.Object({ id: Type.String(), heartbeatAt: time })),
  /** Set without a worker: when the last one stopped, if known. */
  noWorkerSince: nullable(time),
  /** Whether the whole channel is paused in the requested apps. */
  isPaused: Type.Boolean(),
  pausedAt: nullable(time),
  pausedBy: nullable(Type.String()),
  /** Describes a problem; starts with what is safe. */
  sentence: nullable(Type.String()),
});
export type ChannelQueue = Static<typeof channelQueue>;

const integrationQueue = Type.Object({
  id: Type.String(),
  appId: Type.String(),
  name: Type.String(),
  channel: Type.String(),
  provider: Type.String(),
  state: createChoice(['active', 'needs_attention', 'paused']),
  stateReason: nullable(Type.String()),
  health: integrationHealth,
  /** See IntegrationAnswer. */
  waiting: Type.Integer(),
  isWaitingCapped: Type.Boolean(),
});
export type IntegrationQueue = Static<typeof integrationQueue>;

const bulkProgress = Type.Object({
  requestId: Type.String(),
  appId: Type.String(),
  event: Type.String(),
  acceptedAt: time,
  items: Type.Integer(),
  plannedItems: Type.Integer(),
});
export type BulkProgress = Static<typeof bulkProgress>;

const store = Type.Object({ isUp: Type.Boolean(), ms: nullable(Type.Number()) });
const storeStatus = Type.Object({
  postgres: store,
  redis: store,
  gateway: Type.Object({ ...store.properties, url: Type.String() }),
  /** States what is safe and what waits while a part is unavailable; null if all are available. */
  sentence: nullable(Type.String()),
});
export type StoreStatus = Static<typeof storeStatus>;

const queues = Type.Object({
  readAt: time,
  /** Waiting messages over the requested apps. */
  total: waits,
  apps: Type.Array(appQueue),
  channels: Type.Array(channelQueue),
  integrations: Type.Array(integrationQueue),
  bulks: Type.Array(bulkProgress),
  stores: storeStatus,
  /** Time from acceptance to the provider call for the newest single sends of the last 30 minutes; null without any. */
  latency: nullable(
    Type.Object({ messages: Type.Integer(), p50Ms: Type.Number(), p99Ms: Type.Number() }),
  ),
});
export type QueuesAnswer = Static<typeof queues>;

const channelPause = Type.Object({
  appId: Type.String(),
  channel: Type.String(),
  isPaused: Type.Boolean(),
});
export type ChannelPauseAnswer = Static<typeof channelPause>;

/** The status at the bottom of the side bar. */
const status = Type.Object({ ...storeStatus.properties, readAt: time });
export type StatusAnswer = Static<typeof status>;

export const queueRoutes = {
  /** The queues of one app, or of all apps of the account. */
  'GET /api/queues': {
    access: 'viewer',
    query: Type.Object({ app: Type.Optional(Type.String()) }),
    answer: queues,
  },
  'GET /api/status': { access: 'viewer', answer: status },
  'POST /api/apps/:appId/channels/:channel/pause': {
    access: 'editor',
    answer: channelPause,
    audit: 'channel.paused',
  },
  'POST /api/apps/:appId/channels/:channel/resume': {
    access: 'editor',
    answer: channelPause,
    audit: 'channel.resumed',
  },
} as const satisfies Record<string, RouteSpec>;
