import { rmSync } from 'node:fs';
import net from 'node:net';
import { type BlockTimes, measureSince, readMemory, readMoment, resetPeak } from './loop-clock';

/*
 * Loaded into an unchanged built process by `--require`. It measures from inside how long the event loop was blocked,
 * and reports this on the socket that WATCH_SOCKET names. Each answer is one line
 * of JSON about the time since the previous answer.
 */
export type BlockReport = BlockTimes & {
  /** Resident memory at the previous answer. */
  startMb: number;
  peakMb: number;
};

/** Each turn reads a file of the kernel, which takes about 10 µs. */
const tickMs = 4;

// npm and the supervisor inherit NODE_OPTIONS, but have no socket.
const socket = process.env['WATCH_SOCKET'];
if (socket) watch(socket);

function watch(path: string): void {
  let lastMoment = readMoment();
  let report = begin();

  function tick(): void {
    const now = readMoment();
    const { blockMs, heldMs } = measureSince(lastMoment, now);
    report.blockMs = Math.max(report.blockMs, blockMs - tickMs);
    report.heldMs = Math.max(report.heldMs, heldMs - tickMs);
    lastMoment = now;
  }

  setInterval(tick, tickMs).unref();
  const server = net.createServer((connection) => {
    tick();
    const { residentMb, peakMb } = readMemory();
    connection.on('error', () => connection.destroy());
    connection.end(`${JSON.stringify({ ...report, peakMb })}\n`);
    report = begin(residentMb);
  });
  rmSync(path, { force: true });
  server.listen(path).unref();
}

function begin(startMb = readMemory().residentMb): BlockReport {
  resetPeak();
  return { blockMs: 0, heldMs: 0, startMb, peakMb: 0 };
}
