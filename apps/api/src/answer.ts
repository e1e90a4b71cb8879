import { performance } from 'node:perf_hooks';
import type { IdempotentResponse } from '@belfry/pipeline/accept';
import { answerAndClose } from '@belfry/runtime';
import type { Request, Response } from 'express';
import { type Call, getCall } from './call';

export type Answer = {
  status: number;
  /** Serialized JSON. */
  body: string;
  headers?: Record<string, string>;
};

/** The response to an idempotent POST. A replay repeats the bytes of the first response and has `Idempotent-Replayed`. */
export function toAnswer({ status, body, isReplay }: IdempotentResponse): Answer {
  return isReplay ? { status, body, headers: replayed } : { status, body };
}

const replayed = { 'Idempotent-Replayed': 'true' };

/** Writes a response with the headers common to all. */
export function sendAnswer(res: Response, answer: Answer): void {
  res.writeHead(answer.status, buildHeaders(res, answer));
  res.end(answer.body);
}

/** Responds to a call whose body was not read, and closes the connection. */
export function sendAnswerAndClose(req: Request, res: Response, answer: Answer): void {
  const { status, body, headers } = answer;
  answerAndClose(req, res, { status, body, headers: allHeaders(endCall(res), body, headers) });
}

/** Returns a flat list of names and values if there are no extra headers: Node writes that form fastest. */
function buildHeaders(res: Response, { body, headers }: Answer): string[] | Record<string, string> {
  const call = endCall(res);
  if (call.headers || headers) return allHeaders(call, body, headers);
  return [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Cache-Control',
    'no-store',
    'X-Request-Id',
    call.id,
  ];
}

function endCall(res: Response): Call {
  const call = getCall(res);
  call.answeredAtMs = performance.now();
  return call;
}

function allHeaders(call: Call, body: string, headers: Answer['headers']): Record<string, string> {
  return { ...basicHeaders(body, call.id), ...call.headers, ...headers };
}

/** The headers of every JSON response. The server adds those of all responses. */
export function basicHeaders(body: string, callId: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': callId,
  };
}
