import { connect, type Socket } from 'node:net';
import { readSharedClockMs } from './shared-clock';

// The readers of a stream bench, in a process of their own, so that their memory is not the gateway's. Each opens one
// stream over a plain socket and looks for texts only: 10,000 HTTP clients would take the processor from the gateway.

export type StreamClientsOrder = {
  port: number;
  /** Path and token of each stream. */
  streams: { path: string; token: string }[];
};

/** `opened` streams have had their counts; the latencies are those of the items that came since the last report. */
export type StreamClientsReport = {
  opened: number;
  /** Streams that ended after their counts. */
  closed: number;
  /** Attempts that ended before their counts: refused, or their connection was lost. Each was followed by another one. */
  failed: number;
  latenciesMs: number[];
};

type StreamToOpen = StreamClientsOrder['streams'][number];

// As when a gateway has restarted: 2,500 clients come back per second, however many have been served.
const openedPerTick = 50;
const tickMs = 20;
const reportEveryMs = 250;
/** Like a browser, which waits as long as `retry` said. */
const leastRetryMs = 1_000;
const retrySpreadMs = 2_000;
const report: StreamClientsReport = { opened: 0, closed: 0, failed: 0, latenciesMs: [] };

process.once('message', (order: StreamClientsOrder) => {
  const waiting = [...order.streams];
  const opening = setInterval(() => {
    for (const stream of waiting.splice(0, openedPerTick)) openStream(order.port, stream);
    if (waiting.length === 0) clearInterval(opening);
  }, tickMs);
  setInterval(() => {
    process.send?.(report);
    report.latenciesMs = [];
  }, reportEveryMs);
});
process.on('disconnect', () => process.exit());

function openStream(port: number, stream: StreamToOpen): void {
  const { path, token } = stream;
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const isOpened = followSocket(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (isOpened()) {
      report.closed += 1;
      return;
    }
    report.failed += 1;
    setTimeout(() => openStream(port, stream), leastRetryMs + Math.random() * retrySpreadMs);
  });
}

/** Reads a stream. The returned function tells whether its counts have come. */
function followSocket(socket: Socket): () => boolean {
  let isOpened = false;
  socket.on('data', (text: string) => {
    if (!isOpened && text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200 ')) {
      socket.destroy();
      return;
    }
    if (!isOpened && text.includes('event: counts')) {
      isOpened = true;
      report.opened += 1;
    }
    // The title of an item is the time when it was committed.
    for (const [, at] of text.matchAll(/"title":"([\d.]+)"/g)) {
      report.latenciesMs.push(readSharedClockMs() - Number(at));
    }
  });
  return () => isOpened;
}
