import http from 'node:http';
import net from 'node:net';

export type HttpCall = {
  method?: string;
  /** Sent as written, `Host` and `Origin` included: clients of standard libraries do not send a false host. */
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number;
};

export type HttpAnswer = {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** The parsed body, if it is JSON. */
  body: Json;
};

/** JSON of a server: a test that reads a missing member fails. */
// biome-ignore lint/suspicious/noExplicitAny: answers are read by path, and each reader asserts on what it reads.
export type Json = any;

const callTimeoutMs = 30_000;

/** Makes one call on a new connection. The path is sent as written. */
export function call(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body, timeoutMs = callTimeoutMs }: HttpCall = {},
): Promise<HttpAnswer> {
  const { hostname, port } = new URL(origin);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = http.request({
      ...{ hostname, port, path, method, agent: false },
      headers: { ...length, ...headers },
      timeout: timeoutMs,
    });
    request.once('timeout', () => request.destroy(new Error(`${method} ${path}: no answer`)));
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, text, body: parse(text) });
      });
    });
    request.end(body);
  });
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes raw bytes; returns everything until the server closed or was silent for `restMs`. */
export function callRaw(origin: string, bytes: string | Buffer, restMs = 2_000): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect(Number(port), hostname);
    socket.setTimeout(restMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    // A server that refuses while we still write resets the connection.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => resolve(text));
    socket.write(bytes);
  });
}

export function readStatus(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
