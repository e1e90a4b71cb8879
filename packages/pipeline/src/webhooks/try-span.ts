import type { OpenSpan, Tracing } from '@belfry/runtime';
import type { ClaimedDelivery } from './claim.sql';
import type { WebhookResult } from './send';

/** The span of one try, started before it: its ID goes to the receiver. A webhook without a traced request has none. */
export function startTrySpan(
  { id, url, appId, facts }: ClaimedDelivery,
  tracing: Tracing | undefined,
): OpenSpan | undefined {
  if (!tracing || !facts?.traceparent) return undefined;
  return tracing.start({
    name: 'POST webhook',
    kind: 'client',
    parent: facts.traceparent,
    startMs: performance.now(),
    attributes: {
      'http.request.method': 'POST',
      'server.address': new URL(url).hostname,
      'belfry.app_id': appId,
      'belfry.webhook_id': id,
    },
  });
}

export function endTrySpan(span: OpenSpan, { isSuccess, entry }: WebhookResult): void {
  const { status } = entry;
  const error = status === undefined ? 'no_answer' : String(status);
  span.end({
    attributes: { 'http.response.status_code': status },
    error: isSuccess ? undefined : error,
  });
}
