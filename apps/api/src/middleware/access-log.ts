import { performance } from 'node:perf_hooks';
import type { Logger } from '@belfry/runtime';
import type { Request, RequestHandler } from 'express';
import { callOf } from '../call';

/** One line a call: which route, how it ended and how long it took; nothing of what it said. */
export function createAccessLog({ log }: { log: Logger }): RequestHandler {
  return function accessLog(req, res, next) {
    res.once('close', () => {
      const call = callOf(res);
      const endedAtMs = call.answeredAtMs ?? performance.now();
      log.info('call', {
        method: req.method,
        route: routeOf(req),
        status: res.statusCode,
        duration_ms: Math.round((endedAtMs - call.startedAtMs) * 10) / 10,
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
