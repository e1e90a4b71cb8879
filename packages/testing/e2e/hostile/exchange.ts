import http from 'node:http';
import type { Call } from './calls';

export type Answer = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
};

const answerTimeoutMs = 30_000;

/** Makes an HTTP call and resolves with the answer; rejects if there is none. */
export function createExchange(url: string, maxSockets: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets });
  const { hostname, port } = new URL(url);
  return {
    async exchange(call: Call): Promise<Answer> {
      try {
        return await send(call);
      } catch (error) {
        // The server closed a kept-alive connection before it read this call.
        if (error instanceof KeptConnectionError) return send(call);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };

  function send({ method, path, headers, body, isChunked }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const size = body ? sizeHeader(body, isChunked) : [];
      const req = http.request({
        ...{ hostname, port, method, path, agent, timeout: answerTimeoutMs },
        headers: ['Host', hostname, ...headers.flat(), ...size],
      });
      req.once('timeout', () => req.destroy(new Error('No answer within the time limit')));
      req.on('error', (error: NodeJS.ErrnoException) => {
        const isKept = req.reusedSocket && error.code === 'ECONNRESET';
        reject(isKept ? new KeptConnectionError() : error);
      });
      req.once('response', (res) => {
        if (res.headers['content-type'] === 'text/event-stream') {
          // A stream does not end.
          res.destroy();
          return resolve({ status: res.statusCode ?? 0, headers: res.headers, text: '' });
        }
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.once('error', reject);
        res.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text });
        });
      });
      if (isChunked && body) {
        req.write(body.subarray(0, 7));
        req.end(body.subarray(7));
      } else {
        req.end(body);
      }
    });
  }
}

function sizeHeader(body: Buffer, isChunked = false): string[] {
  if (isChunked) return ['Transfer-Encoding', 'chunked'];
  return ['Content-Length', String(body.length)];
}

class KeptConnectionError extends Error {}
