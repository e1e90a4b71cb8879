/** GET api/queues?app=<appId>: one app, or all apps of the account. */
export type QueuesAnswer = {
  readAt: number;
  channels: ChannelQueue[];
  integrations: IntegrationQueue[];
  bulks: BulkProgress[];
  stores: StoreStatus;
  /** Time from acceptance to the provider call for the newest single sends of the last 30 minutes; null without any. */
  latency: { messages: number; p50Ms: number; p99Ms: number } | null;
};

export type ChannelQueue = {
  channel: string;
  /** Counted up to `countedTo`; higher counts are shown as "10,000+". */
  waiting: number;
  oldestMs: number | null;
  inFlight: number;
  retrying: number;
  /** When the next scheduled message is due. */
  nextRetryAt: number | null;
  needsAttention: number;
  scheduled: number;
  /** Messages that wait for an open circuit to close, for a rate limit, or for a connection to the mail server. */
  blocked: { circuit: number; limit: number; connections: number };
  /** Messages per second accepted by providers in the last 30 minutes, one value per 30 s, oldest first. */
  rates: number[];
  /** Messages per second over the last minute, and the peak of the last 30 minutes. */
  perSecond: number;
  peakPerSecond: number;
  workers: { id: string; heartbeatAt: number }[];
  /** Set without a worker: when the last one stopped, if known. */
  noWorkerSince: number | null;
  /** Whether the whole channel is paused in the requested apps. */
  isPaused: boolean;
  pausedAt: number | null;
  pausedBy: string | null;
  /** Describes a problem; starts with what is safe. */
  sentence: string | null;
  countedTo: number;
};

export type IntegrationQueue = {
  id: string;
  appId: string;
  name: string;
  channel: string;
  provider: string;
  state: 'active' | 'needs_attention' | 'paused';
  stateReason: string | null;
  waiting: number;
};

export type BulkProgress = {
  requestId: string;
  appId: string;
  event: string;
  acceptedAt: number;
  items: number;
  plannedItems: number;
};

export type StoreStatus = {
  postgres: { isUp: boolean; ms: number | null };
  redis: { isUp: boolean; ms: number | null };
  gateway: { isUp: boolean; ms: number | null; url: string };
  /** States what is safe and what waits while a part is unavailable; null if all are available. */
  sentence: string | null;
};

/** POST api/apps/:appId/channels/:channel/pause and /resume; answers ChannelPauseAnswer. */
export type ChannelPauseAnswer = { appId: string; channel: string; isPaused: boolean };

/** GET api/status: the status at the bottom of the side bar. */
export type StatusAnswer = StoreStatus & { readAt: number };
