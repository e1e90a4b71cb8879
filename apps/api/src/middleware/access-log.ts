import { performance } from 'node:perf_hooks';
import type { Logger, Metrics } from '@belfry/runtime';
import type { Request, RequestHandler, Response } from 'express';
import { getCall } from '../call';

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
    log.info('call', {
      method,
      route,
      status: this.statusCode,
      duration_ms: Math.round(tookMs * 10) / 10,
      request_id: call.id,
      account_id: call.accountId,
      app_id: call.appId,
      outcome: this.writableFinished ? undefined : 'caller_left',
    });
  }
}

/** The route template. The path itself contains user IDs, so it is never logged. */
export function getRoute(req: Request): string {
  return req.route?.path ?? 'none';
}
