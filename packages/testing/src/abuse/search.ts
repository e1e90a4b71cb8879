import { channelNames } from '@belfry/channels';
import { helperNames } from '@belfry/shared';
import { createRandom, type Random } from '../chaos/random';
import { coveringGenes, createCoveringGene, createGene, type Gene, mutate } from './genes';
import { createMessage } from './messages';
import { listHelpers } from './pieces';
import { type RenderChild, startRenderChild } from './render-child';
import type { Rendered } from './render-main';

export type Trial = Rendered & { gene: Gene };

export type SearchResult = {
  trialCount: number;
  /** The count of each outcome. */
  outcomes: Map<string, number>;
  /** Worst first. */
  slowest: Trial[];
  largest: Trial[];
  /** Unexpected outcomes, and helpers or channels that were never generated. */
  problems: string[];
};

export type SearchOptions = {
  templates: number;
  seed: number;
  /** Measures fewer of the worst again. */
  isQuick?: boolean;
  signal?: AbortSignal | undefined;
};

/** After this many random messages, the same number are changes of the worst. */
const shareAtRandom = 0.6;
const maxWorst = 20;
/** A child keeps memory of its messages, so it is replaced at intervals. */
const messagesOfChild = 50;
const [measuredAgain, measuredAgainQuickly] = [10, 2];
/** Renderings that ended or blocked a child: this many prove enough, and each costs 10 s. */
const maxLost = 5;

/** Searches for the messages that take most time and memory, with the built code in child processes. */
export async function searchWorst(options: SearchOptions): Promise<SearchResult> {
  const { templates, seed, isQuick = false, signal } = options;
  const random = createRandom(seed).fork('templates');
  const renderer = createRenderer(random.fork('small'));
  const helpers = new Set<string>();
  const usedChannels = new Set<string>();
  const result: SearchResult = {
    trialCount: 0,
    outcomes: new Map(),
    slowest: [],
    largest: [],
    problems: [],
  };
  const again = isQuick ? measuredAgainQuickly : measuredAgain;
  let lost = 0;
  try {
    while (result.trialCount < templates && lost < maxLost && !signal?.aborted) {
      const gene = nextGene(result, random, templates);
      for (const name of gene.pieces.flatMap(listHelpers)) helpers.add(name);
      usedChannels.add(gene.channel);
      const trial = { ...(await renderer.render(gene)), gene };
      lost += isLost(trial) ? 1 : 0;
      add(result, trial);
    }
    result.slowest = await measureAgain(result.slowest.slice(0, again), renderer, 'heldMs');
    result.largest = await measureAgain(result.largest.slice(0, again), renderer, 'growthMb');
  } finally {
    renderer.end();
  }
  result.problems.push(
    ...findVacuity(result),
    ...listMissing(helperNames, helpers),
    ...listMissing(channelNames, usedChannels),
  );
  return result;
}

function nextGene(
  { trialCount, slowest, largest }: SearchResult,
  random: Random,
  templates: number,
): Gene {
  const parents = [...slowest, ...largest];
  if (trialCount < coveringGenes) return createCoveringGene(random, trialCount);
  if (trialCount < templates * shareAtRandom || parents.length === 0) return createGene(random);
  return mutate(random.pick(parents).gene, random);
}

function add(result: SearchResult, trial: Trial): void {
  const { outcome } = trial;
  result.trialCount += 1;
  result.outcomes.set(outcome, (result.outcomes.get(outcome) ?? 0) + 1);
  if (outcome.startsWith('threw') || isLost(trial)) {
    result.problems.push(`${outcome}: ${describe(trial.gene)}`);
  }
  result.slowest = pickWorst([...result.slowest, trial], 'heldMs');
  result.largest = pickWorst([...result.largest, trial], 'growthMb');
}

function isLost({ outcome }: Trial): boolean {
  return outcome === 'died' || outcome.startsWith('took over');
}

function pickWorst(trials: Trial[], by: 'heldMs' | 'growthMb'): Trial[] {
  return trials.sort((a, b) => b[by] - a[by]).slice(0, maxWorst);
}

/** Measures twice, each in a new process, and takes the smaller value: a busy machine only adds to it. */
async function measureAgain(
  trials: Trial[],
  renderer: Renderer,
  by: 'heldMs' | 'growthMb',
): Promise<Trial[]> {
  const again: Trial[] = [];
  for (const each of trials) {
    renderer.end();
    const second = isLost(each) ? each : await renderer.render(each.gene);
    again.push({ ...each, [by]: Math.min(each[by], second[by]) });
  }
  return pickWorst(again, by);
}

type Renderer = { render(gene: Gene): Promise<Rendered>; end(): void };

function createRenderer(random: Random): Renderer {
  let child: RenderChild | undefined;
  let rendered = 0;
  function end(): void {
    child?.end();
    child = undefined;
  }
  return {
    end,
    async render(gene) {
      if (rendered % messagesOfChild === 0 || !child?.isAlive()) end();
      child ??= await startRenderChild(random);
      rendered += 1;
      return child.render(createMessage(gene));
    },
  };
}

/** A message that does not compile shows nothing about rendering. */
const maxShareRejected = 0.5;

function findVacuity({ trialCount, outcomes }: SearchResult): string[] {
  const rejected = outcomes.get('rejected_content') ?? 0;
  if (rejected <= trialCount * maxShareRejected) return [];
  return [
    `${rejected} of ${trialCount} templates break a limit: make the generator produce smaller ones`,
  ];
}

function listMissing(names: readonly string[], used: ReadonlySet<string>): string[] {
  return names.filter((name) => !used.has(name)).map((name) => `${name} was never generated`);
}

/** Enough of a message to reproduce it. */
export function describe({ pieces, ...gene }: Gene): string {
  const shortPieces = pieces.map((piece) =>
    piece.length > 200 ? `${piece.slice(0, 200)}…` : piece,
  );
  return JSON.stringify({ ...gene, pieces: shortPieces });
}
