/** GET api/queues?app=<appId>: of one app, or of every app of the account. */
export type QueuesAnswer = {
  readAt: number;
  channels: ChannelQueue[];
  integrations: IntegrationQueue[];
  bulks: BulkProgress[];
  stores: StoreStatus;
  /** From acceptance to the call of the provider, of the newest single sends of the last half hour; null without any. */
  latency: { messages: number; p50Ms: number; p99Ms: number } | null;
};

export type ChannelQueue = {
  channel: string;
  /** Up to `countedTo`; more is shown as "10,000+". */
  waiting: number;
  oldestMs: number | null;
  inFlight: number;
  retrying: number;
  /** When the next of those is due. */
  nextRetryAt: number | null;
  needsAttention: number;
  scheduled: number;
  /** Messages a second that providers took, by half minutes, oldest first, for the last half hour. */
  rates: number[];
  /** Over the last minute; and the most of the last half hour. */
  perSecond: number;
  peakPerSecond: number;
  workers: { id: string; beatAt: number }[];
  /** With no worker: since when, where that is known. */
  noWorkerSince: number | null;
  /** Of the whole channel, in the apps that were asked for. */
  isPaused: boolean;
  pausedAt: number | null;
  pausedBy: string | null;
  /** What to say when something is wrong: safe things first. */
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
  /** What is safe and what waits while one is away; null when all are there. */
  sentence: string | null;
};

/** POST api/apps/:appId/channels/:channel/pause and /resume; answers ChannelPauseAnswer. */
export type ChannelPauseAnswer = { appId: string; channel: string; isPaused: boolean };

/** GET api/status: small, for the foot of the side bar. */
export type StatusAnswer = StoreStatus & { readAt: number };
