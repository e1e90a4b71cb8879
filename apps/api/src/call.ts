import { performance } from 'node:perf_hooks';
import type { IdempotentResponse } from '@belfry/pipeline/accept';
import {
  answerAndClose,
  getTraceId,
  type IsTrustedProxy,
  isHttps,
  type Logger,
  type Metrics,
  type OpenSpan,
} from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { endCallSpan } from './call-span';

/** One API call: its facts for the log and the response. */
export type Call = {
  /** The `X-Request-Id` of the response, the `request_id` of log lines and of an accepted request. */
  id: string;
  startedAtMs: number;
  answeredAtMs?: number;
  /** Extra headers of the response. */
  headers?: Record<string, string>;
  /** Set once the call is authenticated. */
  accountId?: string;
  appId?: string;
  /** W3C Trace Context for what the call causes; set once it is authenticated. */
  traceparent?: string | undefined;
  /** The span of the call, if traces are on. */
  span?: OpenSpan | undefined;
};

function beginCall(res: Response, id: string): Call {
  const call: Call = { id, startedAtMs: performance.now() };
  res.locals['call'] = call;
  return call;
}

/** Returns the call that `beginCall` stored on the response. */
export function getCall(res: Response): Call {
  return res.locals['call'];
}

/** Gives each call its ID first of all. */
export function createRequestId({ newId }: { newId: () => string }): RequestHandler {
  return function requestId(_req, res, next) {
    beginCall(res, newId());
    next();
  };
}

export type RequireHttpsDeps = {
  allowHttp: boolean;
  isTrustedProxy: IsTrustedProxy;
};

/** Refuses plain HTTP. A redirect would hide that the key was already sent in clear text. */
export function createRequireHttps(deps: RequireHttpsDeps): RequestHandler {
  return function requireHttps(req, _res, next) {
    if (deps.allowHttp || isHttps(req, deps.isTrustedProxy)) next();
    else next(new AppError('https_required'));
  };
}

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

export type AccessLogDeps = { log: Logger; metrics: Pick<Metrics, 'countHttpRequest'> };

/** Writes one log line and counts one request: route, status and duration, but no content. */
export function createAccessLog({ log, metrics }: AccessLogDeps): RequestHandler {
  return function accessLog(_req, res, next) {
    res.on('close', logCall);
    next();
  };

  function logCall(this: Response): void {
    const call = getCall(this);
    const { method } = this.req;
    const route = getRoute(this.req);
    const tookMs = (call.answeredAtMs ?? performance.now()) - call.startedAtMs;
    metrics.countHttpRequest({ route, method, status: this.statusCode, seconds: tookMs / 1_000 });
    if (call.span) endCallSpan(call, this.statusCode);
    log.info('call', {
      method,
      route,
      status: this.statusCode,
      duration_ms: Math.round(tookMs * 10) / 10,
      request_id: call.id,
      account_id: call.accountId,
      app_id: call.appId,
      trace_id: getTraceId(call.traceparent),
      outcome: this.writableFinished ? undefined : 'caller_left',
    });
  }
}

/** The route template. The path itself contains user IDs, so it is never logged. */
export function getRoute(req: Request): string {
  return req.route?.path ?? 'none';
}
