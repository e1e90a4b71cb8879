import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../test-stores';
import { measureAccept, measureConnections, startAcceptServers } from './accept-lines';
import { type BenchContext, type BenchLine, firstPhone } from './bench-context';
import { measureBulk } from './bulk-lines';
import { measureCosts } from './cost-lines';
import { measureDelivery } from './delivery-lines';
import { measureIdle } from './idle-lines';
import { measureLatency } from './latency-lines';
import { measureLimits } from './limit-lines';
import { readCommit, readLoad, readMachine } from './machine';
import { measurePage } from './page-lines';
import { measurePages } from './pages-lines';
import { measurePooler } from './pooler-lines';
import { measureRetention } from './retention-lines';
import { measureScale, type ScaleResult } from './scale-lines';
import type { Spread } from './statistics';
import { measureStored } from './stored-lines';
import { measureStreams } from './stream-lines';
import { measureSystem } from './system-lines';
import { openBenchWorld } from './world';

export type BenchOptions = {
  /** Runs only the budget lines, within 5 minutes. */
  isQuick: boolean;
  /** Runs only these parts; their figures are printed but not written, except those with a record of their own. */
  only?: readonly Part[];
  /** Ends the run early; then nothing is written. */
  signal: AbortSignal;
  onProgress(line: string): void;
};

export type BenchReport = Awaited<ReturnType<typeof runBench>>;

/** Measures every line with its baseline, and writes `bench/results`. */
export async function runBench(options: BenchOptions) {
  const start = { at: new Date(), load: readLoad() };
  const machine = await inNewWorld(options, ({ world }) => readMachine(world));
  const measurements = await measureAll(options);
  const tookSeconds = Math.round((Date.now() - start.at.getTime()) / 1_000);
  const report = {
    ...buildHeadlines(measurements),
    commit: readCommit(),
    startedAt: start.at.toISOString(),
    tookSeconds,
    isQuick: options.isQuick,
    machine: { ...machine, loadBefore: start.load, loadAfter: readLoad() },
    ...measurements,
  };
  const { scale, pooler, retention, ...otherParts } = report;
  for (const [name, figures] of Object.entries({ scale, pooler, retention })) {
    if (figures) write(`${name}.json`, toOwnRecord(report, figures));
  }
  if (!options.only) write('latest.json', otherParts);
  return report;
}

async function inNewWorld<T>(
  options: BenchOptions,
  work: (context: BenchContext) => Promise<T>,
): Promise<T> {
  const world = await openBenchWorld();
  try {
    return await work({ world, ...options, numbers: { next: firstPhone } });
  } finally {
    await world.close();
  }
}

const resultsFolder = path.join(repositoryRoot, 'bench', 'results');

type Measurements = Awaited<ReturnType<typeof measureAll>>;

export const benchParts = [
  'accept',
  'bulk',
  'delivery',
  'system',
  'latency',
  'costs',
  'limits',
  'stored',
  'scale',
  'pooler',
  'retention',
  'page',
  'pages',
  'streams',
  'idle',
] as const;

export type Part = (typeof benchParts)[number];

/** These have records of their own, which outlive other runs. They run only if they are named. */
const partsWithRecord: readonly Part[] = ['scale', 'pooler', 'retention'];

/** Skipped in a quick run, unless they are named. */
const slowParts: readonly Part[] = ['limits', 'stored', 'page', 'pages', 'streams', 'idle'];

function chooseParts({ isQuick, only }: BenchOptions): readonly Part[] {
  if (only) return only;
  const skipped = [...partsWithRecord, ...(isQuick ? slowParts : [])];
  return benchParts.filter((part) => !skipped.includes(part));
}

/** Each part has stores of its own: what a part before it stored does not change its figures. */
async function measureAll(options: BenchOptions) {
  const parts = chooseParts(options);
  async function measure<T>(
    part: Part,
    work: (context: BenchContext) => Promise<T>,
  ): Promise<T | undefined> {
    return parts.includes(part) ? inNewWorld(options, work) : undefined;
  }
  const accept = await measure('accept', measureAccepting);
  const bulk = await measure('bulk', measureBulk);
  const delivery = await measure('delivery', measureDelivery);
  const system = await measure('system', measureSystem);
  const latency = await measure('latency', measureLatency);
  const costs = await measure('costs', measureCosts);
  const limits = await measure('limits', measureLimits);
  const stored = await measure('stored', measureStored);
  const scale = await measure('scale', measureScale);
  const pooler = await measure('pooler', measurePooler);
  const retention = await measure('retention', measureRetention);
  const page = await measure('page', measurePage);
  const pages = await measure('pages', measurePages);
  const streams = await measure('streams', measureStreams);
  const idle = await measure('idle', measureIdle);
  return {
    ...{ accept, bulk, delivery, system, latency, costs, limits, stored, scale, page, pages },
    ...{ pooler, retention, streams, idle },
  };
}

async function measureAccepting(context: BenchContext) {
  const servers = await startAcceptServers(context);
  try {
    const acceptMeasurements = await measureAccept(context, servers);
    return {
      ...acceptMeasurements,
      otherConnections: context.isQuick ? [] : await measureConnections(context, servers),
    };
  } finally {
    await servers.close();
  }
}

/** Budget figures, at the top of the record. */
function buildHeadlines({ accept, bulk, delivery, system, latency }: Measurements) {
  return {
    send_vs_naive: accept?.ratios.send_vs_naive,
    send_keyed_vs_naive: accept?.ratios.send_keyed_vs_naive,
    send_keyed_vs_naive_fast: accept?.ratios.send_keyed_vs_naive_fast,
    bulk_recipients_per_s: findMedian(
      bulk?.lines.find(({ line }) => line === 'accepting'),
      'recipientsPerSecond',
    ),
    whole_system_messages_per_s: findMedian(system?.lines[0], 'messagesPerSecond'),
    delivery_vs_noop: delivery?.ratios.delivery_vs_noop,
    idle_p50_ms: latency?.idle.p50Ms,
    idle_p99_ms: latency?.idle.p99Ms,
  };
}

function findMedian(line: BenchLine | undefined, name: string): number | undefined {
  const spread: Spread | string | undefined = line?.[name];
  return typeof spread === 'object' ? spread.median : undefined;
}

export type OwnRecord = Pick<BenchReport, 'commit' | 'startedAt' | 'machine'>;

/** The record that `npm run capacity` reads. */
export type ScaleRecord = OwnRecord & ScaleResult;

function toOwnRecord({ commit, startedAt, machine }: OwnRecord, figures: object): object {
  return { commit, startedAt, machine, ...figures };
}

function write(name: string, record: object): void {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(path.join(resultsFolder, name), `${JSON.stringify(record, undefined, 2)}\n`);
}
