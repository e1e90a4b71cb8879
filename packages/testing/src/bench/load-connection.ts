import net from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Address, LoadRequest } from './load-requests';

export type CallResult = { number: number; isAccepted: boolean; sentAtMs: number };

/** One kept-alive connection, with one call at a time. */
export type LoadConnection = {
  opened: Promise<void>;
  /** Resolves when `callOnAndOn` has no next call, or the connection broke. */
  ended: Promise<void>;
  isBusy(): boolean;
  /** Latency counts from `dueAtMs`; from now by default. */
  call(request: LoadRequest, dueAtMs?: number): void;
  /** Makes the next call after each answer, until there is none. */
  callRepeatedly(next: () => LoadRequest | undefined): void;
  close(): void;
};

/** Reads only the status and the length of an answer, to keep the processor time of the load small. */
export function createConnection(
  address: Address,
  count: (result: CallResult) => void,
): LoadConnection {
  const socket = net.connect({ ...address, noDelay: true });
  let current: { number: number; sentAtMs: number } | undefined;
  let unread: Buffer | undefined;
  let next: () => LoadRequest | undefined = () => undefined;
  let resolveEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnd = resolve;
  });

  function call({ number, bytes }: LoadRequest, dueAtMs = performance.now()): void {
    current = { number, sentAtMs: dueAtMs };
    socket.write(bytes);
  }

  function callNext(): void {
    const request = next();
    if (request) call(request);
    else resolveEnd();
  }

  function finish(isAccepted: boolean): void {
    if (!current) return;
    const result = { ...current, isAccepted };
    current = undefined;
    count(result);
  }

  socket.on('data', (chunk: Buffer) => {
    const bytes = unread ? Buffer.concat([unread, chunk]) : chunk;
    const length = findResponseLength(bytes);
    if (length === undefined || bytes.length < length) {
      unread = bytes;
      return;
    }
    unread = undefined;
    // "HTTP/1.1 2": only the class of the status matters.
    finish(bytes[statusAt] === digitTwo);
    callNext();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    finish(false);
    resolveEnd();
  });

  return {
    opened: new Promise((resolve) => {
      socket.once('connect', resolve).once('close', resolve);
    }),
    ended,
    isBusy: () => current !== undefined,
    call,
    callRepeatedly(getNext) {
      next = getNext;
      callNext();
    },
    close: () => socket.destroy(),
  };
}

const statusAt = 'HTTP/1.1 '.length;
const digitTwo = '2'.charCodeAt(0);
const headEnd = Buffer.from('\r\n\r\n');

/** The bytes of a complete answer; undefined while its head is incomplete. */
function findResponseLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const bodyBytes = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (bodyBytes === undefined) throw new Error(`The answer has no Content-Length: ${head}`);
  return end + headEnd.length + Number(bodyBytes);
}
