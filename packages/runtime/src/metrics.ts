import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createObserveStage, type ObserveStage } from './message-stages';
import { withinTime } from './within-time';

/** Metrics of a process. No label names a user, a recipient or a request. */
export type Metrics = {
  countHttpRequest(request: HttpRequest): void;
  countMessage(message: { channel: string; provider: string; outcome: string }): void;
  countIdempotency(result: string): void;
  /** Counts a request that was not rate limited, because Redis was unavailable. */
  countRateLimitBypass(): void;
  /** Counts a use of an unsubscribe link. */
  countUnsubscribe(result: 'shown' | 'unsubscribed' | 'saved' | 'invalid'): void;
  /** Counts a try of a webhook. */
  countWebhook(outcome: string): void;
  /** Counts a run of the relay in which every step succeeded. */
  countRelayRun(): void;
  /** Counts a blocked event loop; see watchLoop. */
  countLoopStall(): void;
  /** Records how long one message was in a stage. */
  observeStage: ObserveStage;
  /** All metrics in the Prometheus text format. */
  read(): Promise<string>;
  contentType: string;
};

export type HttpRequest = {
  /** The route template, never the path. */
  route: string;
  method: string;
  status: number;
  seconds: number;
};

export type QueueJobs = { queue: string; state: string; count: number };
export type OldestWaiting = { channel: string; seconds: number };
export type NeedsAttention = { channel: string; count: number };
export type WebhookTotals = { waiting: number; oldestSeconds: number };
export type StorageTotals = { storedBytes: number; fullAccounts: number; highestShare: number };

/** Sources that are read for each scrape; a slow or failing one is omitted. */
export type MetricsSources = {
  readQueueJobs(): Promise<QueueJobs[]>;
  readOldestWaiting(): Promise<OldestWaiting[]>;
  /** Only in gateways. */
  countStreams?(): number;
  /** Only in processes with a relay. */
  readNeedsAttention?(): Promise<NeedsAttention[]>;
  /** Only in processes that count the storage of accounts. */
  readStorage?(): Promise<StorageTotals>;
  /** Only in processes that deliver webhooks. */
  readWebhooks?(): Promise<WebhookTotals>;
};

const durationBucketsSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sourceTimeoutMs = 2_000;

export function createMetrics(sources: MetricsSources): Metrics {
  const { readQueueJobs, readOldestWaiting, countStreams } = sources;
  const { readNeedsAttention, readStorage, readWebhooks } = sources;
  const registry = new Registry();
  const counters = { ...createRequestCounters(registry), ...createWorkCounters(registry) };
  const observeStage = createObserveStage(registry);
  const setJobs = createSetGauge(registry, labelledGauges.jobs);
  const setOldest = createSetGauge(registry, labelledGauges.oldest);
  if (countStreams) createStreamGauge(registry, countStreams);
  const setNeedsAttention =
    readNeedsAttention && createSetGauge(registry, labelledGauges.needsAttention);
  const setStorage = readStorage && createStorageGauges(registry);
  const setWebhooks = readWebhooks && createWebhookGauges(registry);

  return {
    countHttpRequest({ route, method, status, seconds }) {
      counters.requests.inc({ route, method, status });
      counters.durations.observe({ route, method }, seconds);
    },
    countMessage: (message) => counters.messages.inc(message),
    countIdempotency: (result) => counters.idempotency.inc({ result }),
    countRateLimitBypass: () => counters.bypasses.inc(),
    countUnsubscribe: (result) => counters.unsubscribes.inc({ result }),
    countWebhook: (outcome) => counters.webhooks.inc({ outcome }),
    countRelayRun: () => counters.relayRuns.inc(),
    countLoopStall: () => counters.stalls.inc(),
    observeStage,
    async read() {
      const [queueJobs, waiting, needsAttention, storage, webhooks] = await Promise.all([
        getOrEmpty(readQueueJobs()),
        getOrEmpty(readOldestWaiting()),
        readNeedsAttention && getOrEmpty(readNeedsAttention()),
        readStorage && withinTime(readStorage(), sourceTimeoutMs),
        readWebhooks && withinTime(readWebhooks(), sourceTimeoutMs),
      ]);
      setJobs(queueJobs);
      setOldest(waiting);
      setNeedsAttention?.(needsAttention ?? []);
      setStorage?.(storage);
      setWebhooks?.(webhooks);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

function createRequestCounters(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'belfry_http_requests_total',
      help: 'Requests that were answered.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'belfry_http_request_duration_seconds',
      help: 'Time from the arrival of a request to its response.',
      labelNames: ['route', 'method'],
      buckets: durationBucketsSeconds,
      registers,
    }),
    idempotency: new Counter({
      name: 'belfry_idempotency_total',
      help: 'Requests with an Idempotency-Key, by the result of the key.',
      labelNames: ['result'],
      registers,
    }),
    bypasses: new Counter({
      name: 'belfry_rate_limit_bypassed_total',
      help: 'Requests that were not rate limited, because Redis did not answer.',
      registers,
    }),
    unsubscribes: new Counter({
      name: 'belfry_unsubscribe_links_total',
      help: 'Uses of unsubscribe links: shown, unsubscribed, saved, or invalid (altered, foreign or too old).',
      labelNames: ['result'],
      registers,
    }),
  };
}

function createWorkCounters(registry: Registry) {
  const registers = [registry];
  return {
    messages: new Counter({
      name: 'belfry_messages_total',
      help: 'Attempts that ended; skipped is an expected refusal, such as an opt-out.',
      labelNames: ['channel', 'provider', 'outcome'],
      registers,
    }),
    webhooks: new Counter({
      name: 'belfry_webhook_tries_total',
      help: 'Tries of webhooks that ended: delivered, retry, or failed after the last one.',
      labelNames: ['outcome'],
      registers,
    }),
    relayRuns: new Counter({
      name: 'belfry_relay_runs_total',
      help: 'Runs of the relay in which every step succeeded: two to four per second and relay, more under load.',
      registers,
    }),
    stalls: new Counter({
      name: 'belfry_loop_stalls_total',
      help: 'Times that the process blocked its event loop for over 100 ms.',
      registers,
    }),
  };
}

function createStreamGauge(registry: Registry, countStreams: () => number): void {
  new Gauge({
    name: 'belfry_inbox_streams',
    help: 'Open streams of inboxes in this gateway.',
    registers: [registry],
    collect() {
      this.set(countStreams());
    },
  });
}

/** `value` is the property of a row that is no label. */
const labelledGauges = {
  jobs: {
    name: 'belfry_queue_jobs',
    help: 'Jobs in Redis.',
    labelNames: ['queue', 'state'],
    value: 'count',
  },
  oldest: {
    name: 'belfry_oldest_waiting_seconds',
    help: 'Wait of the oldest due message of a channel; 0 if none waits.',
    labelNames: ['channel'],
    value: 'seconds',
  },
  needsAttention: {
    name: 'belfry_integrations_needing_attention',
    help: 'Integrations of a channel that are not used, because the provider refused their credentials or settings.',
    labelNames: ['channel'],
    value: 'count',
  },
};

type GaugeRow = Readonly<Record<string, string | number>>;

/** Sets all values at once: a source that failed leaves no old ones. */
function createSetGauge(
  registry: Registry,
  { value, ...definition }: (typeof labelledGauges)[keyof typeof labelledGauges],
): (rows: GaugeRow[]) => void {
  const gauge = new Gauge({ ...definition, registers: [registry] });
  return (rows) => {
    gauge.reset();
    for (const { [value]: amount, ...labels } of rows) gauge.set(labels, Number(amount));
  };
}

/** No label names an account: the size of a scrape would grow with their number. `belfry doctor` lists the full ones. */
function createStorageGauges(registry: Registry): (totals: StorageTotals | undefined) => void {
  const registers = [registry];
  const gauges = {
    storedBytes: new Gauge({
      name: 'belfry_storage_bytes',
      help: 'Bytes that all accounts store; counted if an account has a storage limit.',
      registers,
    }),
    fullAccounts: new Gauge({
      name: 'belfry_storage_full_accounts',
      help: 'Accounts over their storage limit.',
      registers,
    }),
    highestShare: new Gauge({
      name: 'belfry_storage_highest_used_ratio',
      help: 'Used share of the storage limit, for the account with the highest share.',
      registers,
    }),
  };
  return (totals) => {
    for (const [name, gauge] of Object.entries(gauges)) {
      // Safe cast: the names are those of the totals.
      gauge.set(totals?.[name as keyof StorageTotals] ?? Number.NaN);
    }
  };
}

function createWebhookGauges(registry: Registry): (totals: WebhookTotals | undefined) => void {
  const registers = [registry];
  const waiting = new Gauge({
    name: 'belfry_webhooks_waiting',
    help: 'Webhooks that are not delivered yet, counted up to 100,000.',
    registers,
  });
  const oldest = new Gauge({
    name: 'belfry_oldest_webhook_seconds',
    help: 'How long the oldest due webhook waits whose endpoint can be tried now; 0 if none waits.',
    registers,
  });
  return (totals) => {
    waiting.set(totals?.waiting ?? Number.NaN);
    oldest.set(totals?.oldestSeconds ?? Number.NaN);
  };
}

async function getOrEmpty<T>(promise: Promise<T[]>): Promise<T[]> {
  return (await withinTime(promise, sourceTimeoutMs)) ?? [];
}
