import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, runAbuse } from '@belfry/testing';
import { readWatch, watchFile } from '../src/abuse/world';

const timeoutMs = 240_000;

describe('npm run abuse', () => {
  test('reports a blocked event loop and memory growth in a watched process', async () => {
    const folder = mkdtempSync(path.join(process.env['TEST_FOLDER'] ?? tmpdir(), 'belfry-watch-'));
    const socket = path.join(folder, 'watch.sock');
    const child = spawn(process.execPath, ['--require', watchFile, '-e', blockAndAllocateScript], {
      env: { WATCH_SOCKET: socket },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await eventually(() => expect(existsSync(socket)).toBe(true), { timeoutMs });
      await readWatch(socket);
      child.stdin.write('now\n');
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const { blockMs, heldMs, startMb, peakMb } = await readWatch(socket);
      expect(blockMs).toBeGreaterThanOrEqual(heldMs);
      expect(heldMs).toBeGreaterThanOrEqual(heldForMs / 2);
      expect(peakMb - startMb).toBeGreaterThanOrEqual(takenMb * 0.9);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** Small and without time goals: measuring milliseconds needs a quiet machine. */
  test(
    'gets no wrong answer and no exception, and every process survives',
    async () => {
      const report = await runAbuse({ seed: 7, templates: 60, isQuick: true });
      expect(report.kinds.flatMap(({ problems }) => problems)).toEqual([]);
      expect(report.kinds.filter(({ trialCount }) => trialCount === 0)).toEqual([]);
    },
    timeoutMs,
  );
});

const [heldForMs, takenMb] = [200, 64];
/** Uses processor time, which load on the machine affects less than the clock. */
const blockAndAllocateScript = `
  process.stdin.once('data', () => {
    const begun = process.cpuUsage();
    while (process.cpuUsage(begun).user < ${heldForMs * 1_000});
    globalThis.taken = Buffer.alloc(${takenMb * 1024 * 1024}, 1);
    process.stdout.write('done');
  });
`;
