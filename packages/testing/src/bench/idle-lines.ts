import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createWorkspaceCopy } from '../workspace-copy';
import { type BenchContext, emptyStores } from './bench-context';
import type { BenchMember } from './members';
import { readCpuSeconds, readMemoryMb, readWakeUps } from './process-costs';
import { round } from './statistics';

/** A process without work. */
export type IdleFigures = {
  /** Processor time until it is ready, in seconds. */
  startCpuSeconds: number;
  memoryMb: number;
  /** Wake-ups of the event loop per second. */
  wakeUps: number;
  allThreadsWakeUps: number;
};

export type IdleResults = {
  processes: Record<string, IdleFigures>;
  /** `npm start` from its second time on. */
  secondStart: { readySeconds: number; supervisorMemoryMb: number };
};

/** Longer than a relay stays awake. */
const restMs = 10_000;
const countMs = 20_000;

/** Processes without calls and messages, and the second `npm start` in a copy of the workspace. */
export async function measureIdle(context: BenchContext): Promise<IdleResults> {
  const { world } = context;
  const starts = {
    gateway: () => world.startGateway(),
    'worker, all roles': () => world.startWorker('all'),
    'worker, deliver-email': () => world.startWorker('deliver-email'),
    'worker, fanout': () => world.startWorker('fanout'),
    'worker, relay': () => world.startWorker('relay'),
    'worker, webhooks': () => world.startWorker('webhooks'),
    dashboard: () => world.startDashboard(),
  };
  await emptyStores(context);
  const members: StartedMember[] = [];
  try {
    for (const [name, start] of Object.entries(starts)) {
      context.onProgress(`idle: starting ${name}`);
      context.signal.throwIfAborted();
      const member = await start();
      members.push({ ...member, name, startCpuSeconds: readCpuSeconds(member.pid) ?? 0 });
    }
    await wait(restMs);
    const figures = await Promise.all(
      members.map(async (member) => [member.name, await measureProcess(member)] as const),
    );
    return {
      processes: Object.fromEntries(figures),
      secondStart: await measureSecondStart(context),
    };
  } finally {
    await Promise.all(members.map((member) => member.stop()));
  }
}

type StartedMember = BenchMember & Pick<IdleFigures, 'startCpuSeconds'>;

async function measureProcess({ pid, startCpuSeconds }: StartedMember): Promise<IdleFigures> {
  const before = readWakeUps(pid);
  const beganAtMs = performance.now();
  await wait(countMs);
  const after = readWakeUps(pid);
  const seconds = (performance.now() - beganAtMs) / 1_000;
  const perSecond = (name: 'mainThread' | 'allThreads') =>
    round(((after?.[name] ?? 0) - (before?.[name] ?? 0)) / seconds);
  return {
    startCpuSeconds,
    memoryMb: readMemoryMb(pid) ?? 0,
    wakeUps: perSecond('mainThread'),
    allThreadsWakeUps: perSecond('allThreads'),
  };
}

async function measureSecondStart({
  onProgress,
}: BenchContext): Promise<IdleResults['secondStart']> {
  onProgress('idle: npm start');
  const folder = createWorkspaceCopy({ build: true });
  try {
    await runStart(folder);
    return await runStart(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readyTimeoutMs = 120_000;
const readyPollMs = 10;

/** Runs `npm start` in the folder until it was at rest. */
async function runStart(folder: string): Promise<IdleResults['secondStart']> {
  const readyFile = path.join(folder, '.belfry', 'ready.json');
  const beganAtMs = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, API_PORT: '0', DASHBOARD_PORT: '0', DEMO_PORT: '0' },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  try {
    while (!existsSync(readyFile)) {
      const isLate = performance.now() - beganAtMs > readyTimeoutMs;
      if (isLate || child.exitCode !== null) throw new Error('npm start did not become ready');
      await wait(readyPollMs);
    }
    const readySeconds = round((performance.now() - beganAtMs) / 1_000);
    await wait(restMs);
    const { pids } = JSON.parse(readFileSync(readyFile, 'utf8'));
    return { readySeconds, supervisorMemoryMb: readMemoryMb(pids.local) ?? 0 };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
