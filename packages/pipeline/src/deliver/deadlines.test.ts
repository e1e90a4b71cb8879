import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createDeadlines } from './attempt';

/** A server in another thread, so that it responds while this event loop is blocked. */
const serverCode = `
const net = require('node:net');
const { parentPort } = require('node:worker_threads');
const server = net.createServer((socket) => socket.on('error', () => {}).on('data', (bytes) => socket.write(bytes)));
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const deadlineMs = 30;

function blockEventLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the deadline of an attempt', () => {
  test('does not fire before a response that arrived while the process had no CPU', async () => {
    const server = new Worker(serverCode, { eval: true });
    const [port] = await once(server, 'message');
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const { signal, end } = createDeadlines().begin(deadlineMs);
    socket.once('data', end);
    socket.write('a call');
    // The bytes are sent and the response arrives while the event loop does not read it.
    await new Promise((resolve) => process.nextTick(resolve));
    blockEventLoop(deadlineMs * 5);
    await pause(deadlineMs);
    const isAborted = signal.aborted;
    socket.destroy();
    await server.terminate();
    expect(isAborted).toBe(false);
  });

  test('fires if there is no response', async () => {
    const { signal, end } = createDeadlines().begin(deadlineMs);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
    end();
  });

  test('fires at once for running and new attempts after cut', () => {
    const deadlines = createDeadlines();
    const { signal } = deadlines.begin(60_000);
    deadlines.cut();
    expect([signal.aborted, deadlines.begin(60_000).signal.aborted]).toEqual([true, true]);
    expect(deadlines.isCut()).toBe(true);
  });
});
