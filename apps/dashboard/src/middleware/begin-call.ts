import { performance } from 'node:perf_hooks';
import type { Logger } from '@belfry/runtime';
import type { Request, RequestHandler } from 'express';
import { beginCall, callOf } from '../call';

/** Gives each call its id, and writes one line when it has ended; nothing of what it said. */
export function createBeginCall({
  newId,
  log,
}: {
  newId: () => string;
  log: Logger;
}): RequestHandler {
  return function begin(req, res, next) {
    beginCall(res, newId());
    const call = callOf(res);
    res.setHeader('X-Request-Id', call.id);
    res.once('close', () => {
      log.info('call', {
        method: req.method,
        route: routeOf(req),
        status: res.statusCode,
        duration_ms: Math.round((performance.now() - call.startedAtMs) * 10) / 10,
        call_id: call.id,
        account_id: call.session?.accountId,
        app_id: call.app?.id,
        ...(res.writableFinished ? {} : { outcome: 'caller_left' }),
      });
    });
    next();
  };
}

/** The template, never the path. */
export function routeOf(req: Request): string {
  return req.route?.path ?? 'none';
}
