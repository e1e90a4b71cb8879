import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { channelNames } from '@belfry/channels';
import type { Random } from '../chaos/random';
import { repositoryRoot } from '../test-stores';
import { createGene, createSmallGene } from './genes';
import { type AbuseMessage, createMessage } from './messages';
import type { Rendered } from './render-main';

/** A built child process that renders messages, until it is ended or a message ends it. */
export type RenderChild = {
  render(message: AbuseMessage): Promise<Rendered>;
  isAlive(): boolean;
  end(): void;
};

/** Far beyond the goal: a rendering that takes this long has failed, so the search stops waiting. */
const renderTimeoutMs = 10_000;
const entry = path.join(repositoryRoot, 'packages', 'testing', 'dist', 'abuse', 'render-main.js');

export async function startRenderChild(random: Random): Promise<RenderChild> {
  const child = fork(entry, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const render = (message: AbuseMessage, isWarmUp = false) => exchange(child, message, isWarmUp);
  // Load the libraries and let memory grow before the first measurement.
  const gene = createGene(random);
  for (const channel of channelNames) {
    await render(createMessage(createSmallGene(gene, channel)), true);
  }
  return {
    render: (message) => render(message),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    end: () => child.kill('SIGKILL'),
  };
}

async function exchange(
  child: ChildProcess,
  message: AbuseMessage,
  isWarmUp: boolean,
): Promise<Rendered> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), renderTimeoutMs);
  const lost = (outcome: string): Rendered => ({
    outcome,
    blockMs: renderTimeoutMs,
    heldMs: renderTimeoutMs,
    growthMb: 0,
  });
  try {
    child.send({ message, isWarmUp });
    return await Promise.race([
      once(child, 'message', { signal: limit.signal }).then(([rendered]) => rendered as Rendered),
      once(child, 'exit', { signal: limit.signal }).then(() => lost('died')),
    ]);
  } catch {
    child.kill('SIGKILL');
    return lost(`took more than ${renderTimeoutMs} ms`);
  } finally {
    clearTimeout(timer);
    limit.abort();
  }
}
