import { channels } from '@belfry/channels';
import { defaultKeepMs } from '@belfry/pipeline/accept';
import { settings } from '@belfry/runtime';
import type { ScaleRecord } from './run-bench';

export type Demand = { messagesPerDay: number; peakFactor: number; retentionDays: number };

/** Costs of one message, on the machine of the record. */
export type Costs = {
  gatewayCpuUs: number;
  workerCpuUs: number;
  postgresCpuUs: number;
  redisCpuUs: number;
  walBytes: number;
  tableBytes: number;
  indexBytes: number;
  /** The idempotency key in PostgreSQL, for a day. */
  keyBytes: number;
  /** The idempotency key in Redis, for `redisKeySeconds`. */
  redisKeptBytes: number;
  redisPerWaitingMessage: number;
};

/** Nothing is planned to be busier than this. */
export const usedShare = 0.6;
/** The sizes at which an installation is split: larger machines exist, but nothing was measured on them. */
export const largest = {
  postgresCores: 16,
  /** Redis runs commands in one thread. */
  redisCores: 1,
  /** 1 Gbit/s to a standby. */
  walBytesPerSecond: 125e6,
  /** A restore of more takes most of a day. */
  diskBytes: 4e12,
};
export const providerSeconds = 0.2;
/** For when one ends. */
const leastProcesses = 2;
const coresPerMachine = 4;
/** As in docker-compose.yml. */
const gatewayMemoryGb = 1;
const workerMemoryGb = 0.75;
const redisKeySeconds = defaultKeepMs / 1_000;
const secondsPerDay = 86_400;
const otherRoles = { relay: leastProcesses, fanout: leastProcesses, webhooks: leastProcesses };

/** The costs of the line with the most processor time per message. */
export function readCosts({ lines, redisPerWaitingMessage }: ScaleRecord): Costs {
  const [line] = lines.toSorted((a, b) => readMedian(b, 'cpuUs') - readMedian(a, 'cpuUs'));
  const read = (name: string) => readMedian(line, name);
  return {
    gatewayCpuUs: read('gatewayCpuUs'),
    workerCpuUs: read('workerCpuUs'),
    postgresCpuUs: read('postgresCpuUs'),
    redisCpuUs: read('redisCpuUs'),
    walBytes: read('walBytes'),
    tableBytes: read('tableBytes'),
    indexBytes: read('indexBytes'),
    keyBytes: read('keyBytes'),
    redisKeptBytes: read('redisKeptBytes'),
    redisPerWaitingMessage,
  };
}

function readMedian(line: ScaleRecord['lines'][number] | undefined, name: string): number {
  const spread = line?.[name];
  if (typeof spread !== 'object') throw new Error(`bench/results/scale.json has no ${name}`);
  return spread.median;
}

export type Capacity = ReturnType<typeof computeCapacity>;

/** Machines and sizes for a demand. All sizes are of one installation, which has an equal share of the messages. */
export function computeCapacity(costs: Costs, demand: Demand) {
  const loads = listLoads(costs, demand);
  const [limit, load] = loads.reduce((most, each) => (each[1] > most[1] ? each : most));
  const installations = Math.max(1, Math.ceil(load));
  const messagesPerDay = demand.messagesPerDay / installations;
  const share = { ...demand, messagesPerDay };
  return {
    installations,
    messagesPerDay,
    peakPerSecond: getPeak(share),
    primary: { mostPerDay: Math.floor(demand.messagesPerDay / load), limit },
    ...computeProcesses(costs, getPeak(share)),
    ...computeStores(costs, share),
  };
}

/** Each use, relative to its limit. All grow in proportion to the messages. */
function listLoads(costs: Costs, demand: Demand): [limit: string, load: number][] {
  const peak = getPeak(demand);
  return [
    ['PostgreSQL cores', countCores(peak, costs.postgresCpuUs) / largest.postgresCores],
    ['the one thread of Redis', countCores(peak, costs.redisCpuUs) / largest.redisCores],
    ['the network to a standby', (peak * costs.walBytes) / usedShare / largest.walBytesPerSecond],
    ['disk', computeDisk(costs, demand) / largest.diskBytes],
  ];
}

function getPeak({ messagesPerDay, peakFactor }: Demand): number {
  return (messagesPerDay / secondsPerDay) * peakFactor;
}

function countCores(perSecond: number, cpuUs: number): number {
  return (perSecond * cpuUs) / 1e6 / usedShare;
}

/** A gateway and a worker use one core each. */
function computeProcesses({ gatewayCpuUs, workerCpuUs }: Costs, peak: number) {
  const inFlight = peak * providerSeconds;
  // One integration gets half of the slots.
  const slots = settings.MESSAGES_IN_FLIGHT.default / 2;
  const gateways = Math.max(leastProcesses, Math.ceil(countCores(peak, gatewayCpuUs)));
  const deliverWorkers = Math.max(
    leastProcesses,
    Math.ceil(countCores(peak, workerCpuUs)),
    Math.ceil(inFlight / slots / usedShare),
  );
  const workers = deliverWorkers + Object.values(otherRoles).reduce((sum, count) => sum + count);
  const cores = countCores(peak, gatewayCpuUs + workerCpuUs);
  const machines = Math.max(leastProcesses, Math.ceil(cores / coresPerMachine));
  const memoryGb = gateways * gatewayMemoryGb + workers * workerMemoryGb;
  return {
    gateways,
    workers: { deliver: deliverWorkers, ...otherRoles },
    machines,
    coresPerMachine,
    memoryGbPerMachine: Math.ceil(memoryGb / machines),
  };
}

function computeStores(costs: Costs, demand: Demand) {
  const peak = getPeak(demand);
  const waiting = Object.keys(channels).length * settings.RELAY_CHANNEL_WINDOW.default;
  const redisBytes =
    waiting * costs.redisPerWaitingMessage + peak * redisKeySeconds * costs.redisKeptBytes;
  return {
    postgresCores: Math.max(2, Math.ceil(countCores(peak, costs.postgresCpuUs))),
    walBytesPerDay: demand.messagesPerDay * costs.walBytes,
    diskBytes: computeDisk(costs, demand),
    redisBytes: redisBytes / usedShare,
  };
}

function computeDisk(
  { tableBytes, indexBytes, keyBytes }: Costs,
  { messagesPerDay, retentionDays }: Demand,
): number {
  return (messagesPerDay * (retentionDays * (tableBytes + indexBytes) + keyBytes)) / usedShare;
}
