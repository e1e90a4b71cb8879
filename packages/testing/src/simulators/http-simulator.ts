import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createAcceptedListeners,
  createDelays,
  createFaultQueue,
  type Simulator,
} from './simulator';

export type HttpRequest = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

export type HttpReply = {
  status?: number;
  headers?: Record<string, string>;
  body: string | object;
};

/** The fault of one call; `on` keeps it for the first call whose path ends so, `to` for one whose body contains it. */
export type HttpFault = { on?: string; to?: string | undefined } & (
  | { reply: HttpReply }
  | { redirectTo: string }
  /** Answers correctly, but late. */
  | { slowMs: number }
  /** Reads the request, acts on it, and never answers. */
  | { hang: true }
  /** Resets `before` the request was read, or `after` it was read and acted on. */
  | { reset: 'before' | 'after' }
  /** Acts on the request, and breaks off in the middle of its answer. */
  | { truncated: true }
);

export type HttpSimulatorOptions<Send> = {
  /** The provider's normal answer, and the sends that it accepted. */
  handle(request: HttpRequest): Handled<Send> | Promise<Handled<Send>>;
};

type Handled<Send> = { reply: HttpReply; send?: Send };

export type HttpSimulator<Send> = Simulator<Send, HttpFault> & {
  /** Every request that was read, including refused ones. */
  requests: HttpRequest[];
};

const maxBodyBytes = 16 * 1024 * 1024;

/** Shared code of the HTTP simulators: listening, recording, failing. */
export async function createHttpSimulator<Send>({
  handle,
}: HttpSimulatorOptions<Send>): Promise<HttpSimulator<Send>> {
  const faults = createFaultQueue<HttpFault>();
  const acceptedListeners = createAcceptedListeners<Send>();
  const sends: Send[] = [];
  const requests: HttpRequest[] = [];
  const delays = createDelays<Send>();

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    const isOnPath = ({ on }: HttpFault) => on === undefined || path.endsWith(on);
    if (faults.take((fault) => isResetBefore(fault) && isOnPath(fault))) {
      incoming.socket.resetAndDestroy();
      return;
    }
    const request = await readRequest(incoming);
    requests.push(request);
    const fault = faults.take((next) => isOnPath(next) && request.body.includes(next.to ?? ''));
    const refusal = fault && findFaultReply(fault);
    if (refusal) return write(response, refusal);
    const { reply, send } = await handle(request);
    if (send === undefined) return answer(response, reply, fault);
    const atMs = performance.now();
    sends.push(send);
    await delays.pass(send);
    await answer(response, reply, fault);
    acceptedListeners.notify({ send, atMs, isAnswered: !isCutOff(fault, response) });
  }

  const server = createServer((incoming, response) => {
    // Some tests abort calls in the middle.
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    sends,
    requests,
    onAccepted: acceptedListeners.add,
    fail: (...more) => faults.add(more),
    delayEach: delays.set,
    close: () => stop(server),
  };
}

function isResetBefore(fault: HttpFault): boolean {
  return 'reset' in fault && fault.reset === 'before';
}

/** The answer that replaces acting on the request. */
function findFaultReply(fault: HttpFault): HttpReply | undefined {
  if ('reply' in fault) return fault.reply;
  if (!('redirectTo' in fault)) return undefined;
  return { status: 302, headers: { location: fault.redirectTo }, body: '' };
}

async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('The request body is too large for the simulator');
    chunks.push(chunk);
  }
  const { method = 'GET', url: path = '/', headers } = incoming;
  return { method, path, headers, body: Buffer.concat(chunks) };
}

async function answer(
  response: ServerResponse,
  reply: HttpReply,
  fault: HttpFault | undefined,
): Promise<void> {
  if (!fault) return write(response, reply);
  if ('hang' in fault) return;
  if ('reset' in fault) {
    response.socket?.resetAndDestroy();
    return;
  }
  if ('truncated' in fault) return writeHalf(response, reply);
  if ('slowMs' in fault) await wait(fault.slowMs);
  write(response, reply);
}

/** Whether the caller certainly does not receive the answer. */
function isCutOff(fault: HttpFault | undefined, response: ServerResponse): boolean {
  const breaks = ['hang', 'reset', 'truncated'];
  return response.destroyed || breaks.some((name) => fault !== undefined && name in fault);
}

function write(response: ServerResponse, { status = 200, headers = {}, body }: HttpReply): void {
  const isText = typeof body === 'string';
  const type = isText ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

function writeHalf(response: ServerResponse, { status = 200, body }: HttpReply): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.write(text.slice(0, Math.floor(text.length / 2)), () => response.socket?.end());
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(getPort(server.address())));
  });
}

export function getPort(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('The server is not listening on a port');
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A port of this machine on which nothing listens. */
export async function findClosedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await stop(server);
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () =>
      resolve(false),
    );
    socket.unref();
  });
  return isOpen ? findClosedPort() : port;
}
