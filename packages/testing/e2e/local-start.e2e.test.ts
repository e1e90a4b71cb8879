import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { hasEnded, isAlive, stopLeftovers } from '@belfry/embedded';
import { createWorkspaceCopy, eventually } from '@belfry/testing';

// It compiles a copy of everything, and starts it three times.
jest.setTimeout(240_000);

const startTimeoutMs = 120_000;
const endTimeoutMs = 30_000;

let copy: string;
const supervisors: ChildProcess[] = [];

beforeAll(() => {
  copy = createWorkspaceCopy();
});

afterAll(async () => {
  for (const supervisor of supervisors) supervisor.kill('SIGKILL');
  await stopLeftovers(path.join(copy, '.belfry'));
  rmSync(copy, { recursive: true, force: true });
});

type Ready = {
  api_url: string;
  dashboard_url: string | null;
  api_key: string;
  app_id: string;
  event: string;
  database_url: string;
  redis_url: string;
  pids: Record<string, number>;
};

type Started = { ready: Ready; supervisor: ChildProcess; output(): string };

async function start(): Promise<Started> {
  const supervisor = spawn(process.execPath, [path.join(copy, 'scripts', 'start.mjs')], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], API_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  supervisors.push(supervisor);
  let output = '';
  for (const stream of [supervisor.stdout, supervisor.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const file = path.join(copy, '.belfry', 'ready.json');
  const ready = await eventually(
    () => {
      if (supervisor.exitCode !== null) return undefined;
      const read: Ready = JSON.parse(readFileSync(file, 'utf8'));
      expect(read.pids['local']).toBe(supervisor.pid);
      return read;
    },
    { timeoutMs: startTimeoutMs, intervalMs: 50 },
  );
  if (!ready) throw new Error(`It did not start:\n${output}`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return { ready, supervisor, output: () => output };
}

async function stop({ supervisor, ready }: Started): Promise<void> {
  supervisor.kill('SIGTERM');
  expect(await hasEnded(supervisor.pid ?? 0, endTimeoutMs)).toBe(true);
  await eventually(() => expect(supervisor.exitCode).toBe(0));
  expect(Object.values(ready.pids).filter(isAlive)).toEqual([]);
  expect(existsSync(path.join(copy, '.belfry', 'ready.json'))).toBe(false);
}

async function paste({ output }: Started): Promise<{ request_id: string }> {
  const line = await eventually(() => {
    const [found] = /^curl .*$/m.exec(output()) ?? [];
    expect(found).toBeDefined();
    return found ?? '';
  });
  return JSON.parse(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }));
}

describe('npm start', () => {
  test('offers a line that works when it is pasted, shows what it caused, and stops all it started', async () => {
    const started = await start();
    const { request_id: requestId } = await paste(started);
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await eventually(() => {
      expect(started.output()).toMatch(new RegExp(`events/send +200 .*${requestId}`));
      expect(started.output()).toMatch(/email +a\*\*\*@example\.com +sent +sandbox/);
    });
    expect(started.output()).not.toContain('\u001b');
    await stop(started);
  });

  test('starts again, with the same key and data, after it and all it had started were killed', async () => {
    const killed = await start();
    const { request_id: before } = await paste(killed);
    for (const pid of Object.values(killed.ready.pids)) process.kill(pid, 'SIGKILL');
    expect(await hasEnded(killed.supervisor.pid ?? 0, endTimeoutMs)).toBe(true);

    const started = await start();
    expect(started.ready).toMatchObject({
      api_key: killed.ready.api_key,
      app_id: killed.ready.app_id,
      database_url: killed.ready.database_url,
      redis_url: killed.ready.redis_url,
    });
    expect((await paste(started)).request_id).not.toBe(before);

    // Only the supervisor this time: what it left running is ended, and its stores are taken over.
    started.supervisor.kill('SIGKILL');
    expect(await hasEnded(started.supervisor.pid ?? 0, endTimeoutMs)).toBe(true);
    const again = await start();
    expect(again.ready.pids['postgres']).toBe(started.ready.pids['postgres']);
    expect(isAlive(started.ready.pids['api'] ?? 0)).toBe(false);
    await stop(again);
  });
});
