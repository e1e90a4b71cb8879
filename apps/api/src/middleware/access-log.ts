import { performance } from 'node:perf_hooks';
import type { Logger, Metrics } from '@belfry/runtime';
import type { Request, RequestHandler } from 'express';
import { callOf } from '../call';

export type AccessLogDeps = { log: Logger; metrics: Pick<Metrics, 'countHttpRequest'> };

/** One line a call, and one count: which route, how it ended and how long it took; nothing of what it said. */
export function createAccessLog({ log, metrics }: AccessLogDeps): RequestHandler {
  return function accessLog(req, res, next) {
    res.once('close', () => {
      const call = callOf(res);
      const tookMs = (call.answeredAtMs ?? performance.now()) - call.startedAtMs;
      metrics.countHttpRequest({
        route: routeOf(req),
        method: req.method,
        status: res.statusCode,
        seconds: tookMs / 1_000,
      });
      log.info('call', {
        method: req.method,
        route: routeOf(req),
        status: res.statusCode,
        duration_ms: Math.round(tookMs * 10) / 10,
        call_id: call.id,
        account_id: call.accountId,
        app_id: call.appId,
        ...(res.writableFinished ? {} : { outcome: 'caller_left' }),
      });
    });
    next();
  };
}

/** The template, never the path: a path holds ids of users. */
export function routeOf(req: Request): string {
  return req.route?.path ?? 'none';
}
