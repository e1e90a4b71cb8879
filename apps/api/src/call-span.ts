import { type OpenSpan, parseTraceparent, type Tracing } from '@belfry/runtime';
import type { Request } from 'express';

/** The part of a call that its span is made of. */
type TracedCall = {
  id: string;
  startedAtMs: number;
  answeredAtMs?: number;
  appId?: string;
  traceparent?: string | undefined;
  span?: OpenSpan | undefined;
};

/**
 * Reads the trace of a call to a route, and starts its span if traces are on. To be called after authentication, so that
 * strangers start no spans. A span has no path, which can name a user.
 */
export function createBeginTrace(route: string, tracing: Tracing | undefined) {
  const name = `POST ${route}`;

  return function beginTrace(call: TracedCall, { headers }: Pick<Request, 'headers'>): void {
    // Node joins the values of a repeated header, so this is a text.
    call.traceparent = parseTraceparent(headers['traceparent'] as string | undefined);
    if (!tracing) return;
    call.span = tracing.start({
      name,
      kind: 'server',
      parent: call.traceparent,
      startMs: call.startedAtMs,
      attributes: {
        'http.request.method': 'POST',
        'http.route': route,
        'belfry.app_id': call.appId,
        'belfry.request_id': call.id,
      },
    });
    call.traceparent = call.span.traceparent;
  };
}

/** An answer from 500 is an error of the server. */
export function endCallSpan({ span, answeredAtMs }: TracedCall, status: number): void {
  span?.end({
    endMs: answeredAtMs,
    attributes: { 'http.response.status_code': status },
    error: status >= 500 ? String(status) : undefined,
  });
}
