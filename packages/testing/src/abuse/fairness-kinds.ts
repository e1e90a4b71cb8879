import { setTimeout as wait } from 'node:timers/promises';
import { stallUpload } from '../attacks/bodies';
import { call } from '../attacks/http-call';
import { type Sender, send } from '../attacks/target';
import type { Random } from '../chaos/random';
import { channelVersion } from '../factories';
import type { Gene } from './genes';
import { createMessage } from './messages';
import { createKind, goals, type KindReport } from './report';
import { reachable, waitUntilSettled } from './template-kinds';
import type { World } from './world';

const beginWithin = 20;
const messagesOfBystander = 10;
const betweenMs = 300;

/** The attacker always has this many of the worst messages waiting while a bystander sends one at intervals. */
export async function runBehindTemplates(
  world: World,
  genes: readonly Gene[],
): Promise<KindReport> {
  const kind = createKind('S2', 'a bystander’s message behind the worst of another account');
  const { attacker, bystander, factories, programs } = world;
  const sender = { apiUrl: programs.gateway.url, ...attacker };
  const calls = await Promise.all(
    genes.slice(0, beginWithin).map(async (gene) => {
      const { definition, data } = createMessage(gene);
      const { name } = await factories.createEvent(attacker, definition.channels);
      return { event: name, user: reachable, data };
    }),
  );
  const channels = {
    slack: channelVersion({ text: 'Hello' }),
    sms: channelVersion({ text: 'Hi' }),
  };
  const { name } = await factories.createEvent(bystander, channels);
  let isOver = false;
  const flooding = flood(sender, calls, () => isOver);
  await programs.worker.read();
  for (let count = 0; count < messagesOfBystander && !world.isAborted(); count += 1) {
    await wait(betweenMs);
    const answer = await send(
      { apiUrl: programs.gateway.url, ...bystander },
      { event: name, user: reachable },
    );
    kind.trialCount += 1;
    if (answer.status !== 200) kind.problems.push(`${answer.status} ${answer.text}`);
    else await recordWait(kind, world, answer.body.request_id);
  }
  isOver = true;
  if ((await flooding) === 0)
    kind.problems.push('The gateway accepted none of the attacker’s messages');
  const { blockMs, heldMs } = await programs.worker.read();
  return { ...kind, blockMs, heldMs };
}

async function recordWait(kind: KindReport, world: World, requestId: string): Promise<void> {
  const { state, waitedMs } = await waitUntilSettled(world, requestId);
  if (state !== 'sent') kind.problems.push(`The bystander’s message is ${state}`);
  if (waitedMs > goals.waitMs) kind.missed.push(`sent after ${waitedMs} ms`);
}

const floodEveryMs = 50;

/** Returns how many were accepted. */
async function flood(sender: Sender, calls: unknown[], isOver: () => boolean): Promise<number> {
  let accepted = 0;
  for (let index = 0; !isOver(); index += 1) {
    const { status } = await send(sender, calls[index % calls.length]);
    if (status === 200) accepted += 1;
    await wait(floodEveryMs);
  }
  return accepted;
}

const seconds = 6;

/** Stalled uploads of one account; each round uses other sizes and numbers of connections. */
export async function runBehindUploads(
  world: World,
  random: Random,
  rounds: number,
): Promise<KindReport> {
  const kind = createKind('S6', 'a bystander’s calls beside stalled uploads of another account');
  const { gateway } = world.programs;
  const sender = { apiUrl: gateway.url, ...world.attacker };
  await gateway.read();
  for (let round = 0; round < rounds && !world.isAborted(); round += 1) {
    // The first round takes all of the memory for bodies.
    const count = round === 0 ? 7 : random.between(7, 60);
    const bytes = round === 0 ? 9_150_000 : random.pick([1, 1_000, 70_000, 1_000_000, 9_150_000]);
    const stalled = Array.from({ length: count }, () => stallUpload(sender, bytes));
    try {
      await callDuring(kind, world, `${count} uploads of ${bytes} bytes`);
    } finally {
      for (const socket of stalled) socket.destroy();
    }
  }
  const { blockMs, heldMs, startMb, peakMb } = await gateway.read();
  return { ...kind, blockMs, heldMs, growthMb: peakMb - startMb };
}

async function callDuring(kind: KindReport, world: World, background: string): Promise<void> {
  const { gateway } = world.programs;
  const body = JSON.stringify({ event: 'none', user: { user_id: 'ana' } });
  for (let second = 0; second < seconds; second += 1) {
    for (const text of [body, body.padEnd(1_000_000)]) {
      const beganAtMs = performance.now();
      const answer = await send({ apiUrl: gateway.url, ...world.bystander }, text);
      const tookMs = performance.now() - beganAtMs;
      kind.trialCount += 1;
      if (answer.status !== 404) kind.problems.push(`${answer.status} beside ${background}`);
      if (tookMs > goals.waitMs) kind.missed.push(`${tookMs.toFixed(0)} ms beside ${background}`);
    }
    await call(gateway.url, '/livez');
    await wait(500);
  }
}
