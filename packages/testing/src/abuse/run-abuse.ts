import { attacks } from '../attacks/attacks';
import { openTarget } from '../attacks/target';
import { createRandom } from '../chaos/random';
import { runOrigins, runQueries } from './address-kinds';
import { runBehindTemplates, runBehindUploads } from './fairness-kinds';
import type { Gene } from './genes';
import { type AbuseReport, concludeAbuse, createKind, goals, type KindReport } from './report';
import { describe, type SearchResult, searchWorst } from './search';
import { runTemplates } from './template-kinds';
import { runMarkup, runPatterns } from './text-kinds';
import { openWorld, type World } from './world';

export type AbuseOptions = {
  seed: number;
  /** The number of messages to generate. */
  templates: number;
  /** Reduces everything else, and skips the reproductions. */
  isQuick?: boolean;
  /** Ends the run early and cleanly. */
  signal?: AbortSignal;
  onProgress?(line: string): void;
};

/**
 * Attacks the built processes with generated inputs. Children render messages with the same built code to search for the
 * worst ones. These then go through gateway, dashboard and worker.
 *
 * A block is measured inside each process, between two turns of its event loop: wall-clock time less the time that the
 * thread waited for a core according to the kernel. A measurement from outside would add a busy machine's wait for a core and the
 * prober's own delays. Growth is the peak of resident memory, which the kernel resets before each message. The
 * largest messages are measured again in a process of their own, relative to rendering a small template.
 */
export async function runAbuse(options: AbuseOptions): Promise<AbuseReport> {
  const { seed, isQuick = false, signal, onProgress = () => {} } = options;
  const kinds: KindReport[] = [];
  function add(...reports: KindReport[]): void {
    kinds.push(...reports);
    for (const { kind, title, trialCount } of reports)
      onProgress(`${kind} ${title}: ${trialCount} tried`);
  }
  onProgress('searching for the worst templates');
  const result = await searchWorst(options);
  add(...reportSearch(result));
  if (!isQuick && !signal?.aborted) add(await runReproductions(signal));
  const world = await openWorld(signal);
  try {
    await runKinds(world, result, { seed, isQuick, add });
  } finally {
    await world.close();
  }
  signal?.throwIfAborted();
  return concludeAbuse(seed, kinds);
}

function reportSearch({
  trialCount,
  slowest,
  largest,
  outcomes,
  problems,
}: SearchResult): KindReport[] {
  const [slow, large] = [slowest[0], largest[0]];
  const title = `templates (${[...outcomes].map(([name, count]) => `${count} ${name}`).join(', ')})`;
  const time = createKind('S1 S2', title);
  const missedTime = slowest
    .filter(({ heldMs }) => heldMs > goals.blockMs)
    .map(({ heldMs, gene }) => `blocked for ${heldMs.toFixed(0)} ms: ${describe(gene)}`);
  const missedMemory = largest
    .filter(({ growthMb }) => growthMb > goals.growthMb)
    .map(({ growthMb, gene }) => `grew by ${growthMb.toFixed(0)} MB: ${describe(gene)}`);
  return [
    {
      ...time,
      ...{ trialCount, problems, blockMs: slow?.blockMs ?? 0, heldMs: slow?.heldMs ?? 0 },
      growthMb: large?.growthMb ?? 0,
      missed: [...missedTime, ...missedMemory],
      ...(slow ? { worst: describe(slow.gene) } : {}),
    },
  ];
}

async function runReproductions(signal: AbortSignal | undefined): Promise<KindReport> {
  const kind = createKind('S1–S9', 'reproductions of the security review against npm start');
  const target = await openTarget();
  try {
    for (const attack of attacks) {
      if (signal?.aborted) break;
      await target.local.waitUntilUp();
      kind.trialCount += 1;
      await attack.run(target).catch((error: unknown) => {
        kind.problems.push(`${attack.kind} ${attack.title}: ${error}`);
      });
    }
  } finally {
    await target.close();
  }
  return kind;
}

type Kinds = {
  seed: number;
  isQuick: boolean;
  add(...reports: KindReport[]): void;
};

async function runKinds(world: World, result: SearchResult, { seed, isQuick, add }: Kinds) {
  const random = createRandom(seed);
  const share = isQuick ? 0.1 : 1;
  const genes = pickWorst(result, isQuick ? 2 : 10);
  const steps: (() => Promise<KindReport | KindReport[]>)[] = [
    () => runTemplates(world, genes),
    () => runBehindTemplates(world, genes),
    () => runBehindUploads(world, random.fork('uploads'), Math.ceil(5 * share)),
    () => runMarkup(world, random.fork('markup'), 300 * share),
    () => runPatterns(world, random.fork('patterns'), 300 * share),
    () => runOrigins(world, random.fork('origins'), 1_000 * share),
    () => runQueries(world, random.fork('queries'), 3_000 * share),
  ];
  for (const step of steps) {
    if (world.isAborted()) return;
    const reports = [await step()].flat();
    const stuck = isQuick ? [] : await world.restart();
    reports[0]?.problems.push(...stuck.map((name) => `The ${name} did not end after SIGTERM`));
    add(...reports);
  }
}

/** Versions that can be published. A refused one reaches only the dashboard's check. */
function pickWorst({ slowest, largest }: SearchResult, count: number): Gene[] {
  const usable = (trials: SearchResult['slowest']) =>
    trials.filter(({ outcome }) => outcome !== 'rejected_content').slice(0, count);
  return [...usable(slowest), ...usable(largest)].map(({ gene }) => gene);
}
