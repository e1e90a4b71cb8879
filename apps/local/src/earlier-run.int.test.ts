import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeProcess, hasEnded, isAlive } from '@belfry/embedded';
import { endEarlierRun, recordRun } from './earlier-run';

let folder: string;
let file: string;
const spawned: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'belfry-run-'));
  file = path.join(folder, 'run.json');
});

afterEach(() => {
  for (const child of spawned.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function sleep(): number {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], {
    stdio: 'ignore',
  });
  spawned.push(child);
  return child.pid ?? 0;
}

/** A run whose supervisor was killed. */
async function writeKilledRun(children: unknown[]): Promise<void> {
  const supervisor = { pid: 999_999_999, command: 'node scripts/start.mjs', startedAt: '1' };
  writeFileSync(file, JSON.stringify({ supervisor, children }));
}

describe('endEarlierRun', () => {
  test('stops the processes that a killed run left', async () => {
    const pid = sleep();
    await writeKilledRun([await describeProcess(pid)]);
    await endEarlierRun(file);
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(file)).toBe(false);
  });

  test('does not stop an unrelated process with the same process id', async () => {
    const pid = sleep();
    const facts = await describeProcess(pid);
    await writeKilledRun([
      { ...facts, startedAt: 'another time' },
      { ...facts, command: 'another program' },
    ]);
    await endEarlierRun(file);
    expect(await hasEnded(pid, 100)).toBe(false);
  });

  test('rejects while the run in the record is still active', async () => {
    await recordRun(file);
    await expect(endEarlierRun(file)).rejects.toThrow(`process ${process.pid}`);
  });

  test.each(['', '{', 'null', '[]', '{"supervisor":{"pid":1}}'])(
    'ignores the invalid record %j',
    async (text) => {
      writeFileSync(file, text);
      await expect(endEarlierRun(file)).resolves.toBeUndefined();
    },
  );
});

describe('recordRun', () => {
  test('contains the latest process of each name until the run ends', async () => {
    const run = await recordRun(file);
    const [first, second] = [sleep(), sleep()];
    await run.add('worker', first);
    await run.add('worker', second);
    const { children } = JSON.parse(readFileSync(file, 'utf8'));
    expect(children).toEqual([await describeProcess(second)]);
    run.end();
    expect(existsSync(file)).toBe(false);
  });
});
