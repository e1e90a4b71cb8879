import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from '@belfry/embedded';
import { eventually } from '@belfry/testing';
import { type Child, type ChildDeps, startChild } from './child';

const ready = `console.log(JSON.stringify({ level: 'info', message: 'toy.ready' }));`;
const stay = `setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0));`;

let folder: string;
const children: Child[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'belfry-child-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) await child.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(code: string, deps: Partial<ChildDeps> = {}) {
  const file = path.join(folder, 'toy.js');
  writeFileSync(file, code);
  return startChild(
    { name: 'toy', file, env: { GREETING: 'hello' } },
    {
      logs: folder,
      onStarted: async () => {},
      onLine: () => {},
      onRestart: () => {},
      onLost: () => {},
      signal: new AbortController().signal,
      ...deps,
    },
  );
}

describe('startChild', () => {
  test('waits until the program is ready, logs its output, and stops it in order', async () => {
    const lines: string[] = [];
    const child = await start(`console.log(process.env.GREETING); ${ready} ${stay}`, {
      onLine: (_name, line) => lines.push(line),
    });
    expect(lines[0]).toBe('hello');
    await child.stop();
    expect(isAlive(child.pid)).toBe(false);
    expect(readFileSync(path.join(folder, 'toy.log'), 'utf8')).toContain('hello\n');
  });

  test('rejects with the last output of a program that exits before it is ready', async () => {
    await expect(start(`console.error('no database'); process.exit(78);`)).rejects.toThrow(
      /toy exited \(code 78\) during startup\. Its last output:\nno database/,
    );
  });

  test('stops a program that is not ready when the run ends', async () => {
    const stopping = new AbortController();
    const pids: number[] = [];
    const starting = start(stay, {
      signal: stopping.signal,
      onStarted: async (_name, pid) => {
        pids.push(pid);
      },
    });
    await eventually(() => expect(pids).toHaveLength(1));
    stopping.abort();
    await expect(starting).rejects.toThrow('toy was stopped');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('restarts a program that exits unexpectedly', async () => {
    const started: number[] = [];
    const restarts: string[] = [];
    const child = await start(`${ready} ${stay}`, {
      onStarted: async (_name, pid) => {
        started.push(pid);
      },
      onRestart: (_name, how) => restarts.push(how),
    });
    children.push(child);
    process.kill(child.pid, 'SIGKILL');
    await eventually(() => expect(started).toHaveLength(2));
    expect(restarts).toEqual(['exited (SIGKILL)']);
    await eventually(() => expect(child.pid).toBe(started[1]));
  });

  test('gives up on a program that exits repeatedly', async () => {
    const lost = new Promise<string>((resolve) => {
      void start(`${ready} setTimeout(() => process.exit(1), 20);`, { onLost: resolve });
    });
    expect(await lost).toBe('toy');
  });

  test('does not restart a program after stop', async () => {
    const started: number[] = [];
    const child = await start(`${ready} ${stay}`, {
      onStarted: async (_name, pid) => {
        started.push(pid);
      },
    });
    process.kill(child.pid, 'SIGKILL');
    await child.stop();
    expect(started).toHaveLength(1);
  });
});
