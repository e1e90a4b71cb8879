import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasEnded } from '@belfry/embedded';
import type { SimulatedChannel } from '../simulated-channels';
import type { Degraded, TcpProxy } from '../tcp-proxy';
import { stopUntilLate } from './late-result';
import type { Member } from './member';
import type { Random } from './random';
import type { FaultEntry } from './recording';
import type { World } from './world';

/** A fault, which is repaired when `run` resolves. */
export type Fault = {
  name: string;
  /** The target: each has one fault at a time. */
  target: string;
  pid: number | undefined;
  isKill: boolean;
  /** The process hit at the end, if it was replaced meanwhile. */
  pidAtEnd?(): number;
  run(): Promise<Seen | undefined>;
};

/** An unexpected result, and whether an outcome was recorded too late. */
export type Seen = Partial<
  Pick<FaultEntry, 'exitCode' | 'name' | 'isKill' | 'atMs' | 'liftedMs'>
> & {
  isLate?: boolean;
};

/** Draws one kind of fault for one target; undefined if nothing can be hit now. */
export type FaultKind = {
  name: string;
  /** Occurrences in one round through all kinds. */
  weight: number;
  draw(world: World, random: Random, isFree: (target: string) => boolean): Fault | undefined;
};

/** A run must meet it at least once; see `stopUntilLate`. */
export const lateResultKind = onReplaceable('process.stop_until_late', 1, stopUntilLate);

/** All faults, and their relative frequency. */
export const faultKinds: FaultKind[] = [
  onProcess('process.kill', 22, true, (member) => restart(member, 'SIGKILL')),
  onProcess('process.terminate', 4, false, (member) => restart(member, 'SIGTERM')),
  onProcess('process.stop', 5, false, freeze),
  lateResultKind,
  onStore('redis', 'redis.kill', 3, restartRedis),
  onStore('redis', 'redis.kill_without_aof', 2, emptyAndRestartRedis),
  onStore('redis', 'redis.flush', 3, ({ redisClient }) => redisClient.flushall()),
  onStore('redis', 'redis.forget_scripts', 1, ({ redisClient }) => redisClient.script('FLUSH')),
  onStore('redis', 'redis.cut_clients', 3, ({ redisClient }) =>
    redisClient.call('CLIENT', 'KILL', 'TYPE', 'normal'),
  ),
  onStore('redis', 'redis.pause', 2, ({ redisClient }, random) =>
    redisClient.client('PAUSE', random.between(300, 2_000)),
  ),
  onStore('redis', 'redis.out_of_memory', 2, runOutOfMemory),
  onStore('postgres', 'postgres.stop', 2, restartPostgres),
  onStore('postgres', 'postgres.cut_backends', 2, cutBackends),
  ...(['postgres', 'redis'] as const).flatMap((store) => [
    onLink(store, 'latency', 2, (random) => ({ latencyMs: random.between(20, 200) })),
    onLink(store, 'black_hole', 1, () => 'black_hole'),
    onLink(store, 'answers_lost', 2, () => 'answers_lost'),
    onLink(store, 'reset', 2, () => undefined),
  ]),
  onProvider('provider.drop_answers', 4, ({ dropAnswers }, random) =>
    dropAnswers(random.between(1, 4)),
  ),
  onProvider('provider.delay_answers', 4, ({ delayAnswers }, random) =>
    delayAnswers(random.between(3, 12), random.between(300, 2_000)),
  ),
];

type Done = Seen | undefined;

function onProcess(
  name: string,
  weight: number,
  isKill: boolean,
  act: (member: Member, random: Random) => Promise<Done>,
): FaultKind {
  return {
    name,
    weight,
    draw({ members }, random, isFree) {
      const down = members.filter((member) => !member.isReady || !isFree(member.name));
      const free = members.filter((member) => !down.includes(member));
      if (free.length === 0 || down.length >= mostDown) return undefined;
      const member = random.pick(free);
      // Both gateways may be down, but not most of the time: then nothing would be sent that can be lost.
      const isLast = down.some(({ kind }) => kind === member.kind);
      if (isLast && !random.chance(lastShare)) return undefined;
      const run = () => act(member, random);
      return { name, target: member.name, pid: member.pid, isKill, run };
    },
  };
}

/** Processes that are killed, stopped or not ready again, at once. */
const mostDown = 3;
const lastShare = 0.15;
const longestFreezeMs = 16_000;

async function restart(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<Done> {
  const exitCode = await member.restart(signal);
  if (signal === 'SIGKILL') return undefined;
  // A process that does not end in time is killed.
  return exitCode === null ? { name: 'process.kill', isKill: true } : { exitCode };
}

/** Often longer than a lease and a lock, and often shorter. */
async function freeze(member: Member, random: Random): Promise<Done> {
  member.signal('SIGSTOP');
  await wait(random.between(500, longestFreezeMs));
  member.signal('SIGCONT');
  return undefined;
}

/** Hits a worker while another healthy one has the same roles and can continue its work. */
function onReplaceable(
  name: string,
  weight: number,
  act: (world: World, member: Member) => Promise<Seen>,
): FaultKind {
  return {
    name,
    weight,
    draw(world, random, isFree) {
      const free = world.members.filter((member) => member.isReady && isFree(member.name));
      const replaceable = free.filter((member) =>
        free.some(
          (other) => other !== member && other.kind === 'worker' && other.roles === member.roles,
        ),
      );
      if (replaceable.length === 0) return undefined;
      const member = random.pick(replaceable);
      const run = () => act(world, member);
      return { name, target: member.name, pid: member.pid, isKill: false, run };
    },
  };
}

function onStore(
  target: 'redis' | 'postgres',
  name: string,
  weight: number,
  act: (world: World, random: Random) => Promise<unknown>,
): FaultKind {
  return {
    name,
    weight,
    draw(world, random, isFree) {
      if (!isFree(target)) return undefined;
      const isKill = kills.has(name);
      return {
        name,
        target,
        pid: undefined,
        isKill,
        run: () => act(world, random).then(doNothing),
      };
    },
  };
}

const kills = new Set(['redis.kill', 'redis.kill_without_aof', 'postgres.stop']);

function doNothing(): undefined {
  return undefined;
}

const longestOutageMs = 2_500;

async function restartRedis({ redis }: World, random: Random): Promise<void> {
  await redis.kill();
  await wait(random.between(0, longestOutageMs));
  await redis.start();
}

async function emptyAndRestartRedis({ redis }: World, random: Random): Promise<void> {
  await redis.kill();
  rmSync(path.join(redis.folder, 'appendonlydir'), { recursive: true, force: true });
  await wait(random.between(0, longestOutageMs));
  await redis.start();
}

async function runOutOfMemory({ redisClient }: World, random: Random): Promise<void> {
  await redisClient.config('SET', 'maxmemory', '1mb');
  await wait(random.between(500, 2_500));
  await retryUntilDone(() => redisClient.config('SET', 'maxmemory', '0'));
}

/** Repeats the repair of a store until it succeeds. */
async function retryUntilDone(act: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await act();
      return;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      await wait(retryWaitMs);
    }
  }
}

const maxAttempts = 50;
const retryWaitMs = 200;
const stopTimeoutMs = 10_000;

/** SIGQUIT is PostgreSQL's immediate shutdown: no checkpoint, as after a crash. */
async function restartPostgres({ postgres }: World, random: Random): Promise<void> {
  process.kill(postgres.pid, 'SIGQUIT');
  if (!(await hasEnded(postgres.pid, stopTimeoutMs))) await postgres.kill();
  await wait(random.between(0, longestOutageMs));
  await postgres.start();
}

async function cutBackends({ database }: World): Promise<void> {
  await database.delivery.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND random() < 0.5`,
  );
}

function onLink(
  store: 'postgres' | 'redis',
  how: string,
  weight: number,
  degradedBy: (random: Random) => Degraded | undefined,
): FaultKind {
  const name = `${store}_link.${how}`;
  return {
    name,
    weight,
    draw({ members }, random, isFree) {
      const free = members.filter((member) => isFree(getLinkName(member)));
      if (free.length === 0) return undefined;
      const member = random.pick(free);
      const run = () => breakLink(member[store], degradedBy(random), random);
      const pidAtEnd = () => member.pid;
      return { name, target: getLinkName(member), pid: member.pid, isKill: false, pidAtEnd, run };
    },
  };

  function getLinkName(member: Member): string {
    return `${member.name}:${store}`;
  }
}

async function breakLink(
  proxy: TcpProxy,
  degraded: Degraded | undefined,
  random: Random,
): Promise<undefined> {
  if (degraded === undefined) {
    proxy.reset();
    return;
  }
  const { restore } = proxy.degrade(degraded);
  await wait(random.between(500, 4_000));
  restore();
}

function onProvider(
  name: string,
  weight: number,
  act: (channel: SimulatedChannel, random: Random) => void,
): FaultKind {
  return {
    name,
    weight,
    draw({ simulated }, random) {
      const [target, channel] = random.pick(Object.entries(simulated.channels));
      async function run(): Promise<undefined> {
        act(channel, random);
      }
      return { name, target, pid: undefined, isKill: false, run };
    },
  };
}
