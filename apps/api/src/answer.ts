import { performance } from 'node:perf_hooks';
import type { KeyedAnswer } from '@belfry/accepting';
import type { Request, Response } from 'express';
import { callOf } from './call';

export type Answer = {
  status: number;
  /** JSON, written once. */
  body: string;
  headers?: Record<string, string>;
};

/** What a keyed POST answers; a replay is the first call's bytes, and says so. */
export function answerOf({ status, body, isReplay }: KeyedAnswer): Answer {
  return isReplay ? { status, body, headers: replayed } : { status, body };
}

const replayed = { 'Idempotent-Replayed': 'true' };

/** Writes an answer in one go, with the headers that every answer has. */
export function sendAnswer(res: Response, answer: Answer): void {
  res.writeHead(answer.status, headersOf(res, answer));
  res.end(answer.body);
}

/** How long a connection stays open for its answer to be read. */
export const lingerMs = 1_000;
const lingerBytes = 256 * 1024;

/**
 * Answers a call whose body was not read, and closes the connection. Closing at once would reset it
 * under a caller that still writes, who would then never see the answer; so a little of the body is
 * thrown away and the caller has a moment to read.
 */
export function sendAnswerAndClose(req: Request, res: Response, answer: Answer): void {
  const headers = { ...answer.headers, Connection: 'close' };
  res.writeHead(answer.status, headersOf(res, { ...answer, headers }));
  res.write(answer.body);
  const timer = setTimeout(close, lingerMs);
  let leftBytes = lingerBytes;
  req.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes <= 0) req.pause();
  });
  req.once('end', close);
  req.once('close', close);
  req.resume();

  function close(): void {
    clearTimeout(timer);
    res.end();
  }
}

/** Names and values in turn, where nothing is added: Node writes these with the least work. */
function headersOf(res: Response, { body, headers }: Answer): Headers {
  const call = callOf(res);
  call.answeredAtMs = performance.now();
  const length = String(Buffer.byteLength(body));
  if (!call.headers && !headers) {
    return [
      'Content-Type',
      'application/json',
      'Content-Length',
      length,
      'Cache-Control',
      'no-store',
      'X-Request-Id',
      call.id,
    ];
  }
  return {
    'Content-Type': 'application/json',
    'Content-Length': length,
    'Cache-Control': 'no-store',
    'X-Request-Id': call.id,
    ...call.headers,
    ...headers,
  };
}

type Headers = string[] | Record<string, string>;
