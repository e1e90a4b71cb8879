import { sandboxProvider } from '@belfry/channels';
import type { Tracing } from '@belfry/runtime';
import { getDeliverQueue } from '@belfry/shared';
import type { Claimed } from './attempt';
import type { FinishedAttempt } from './next-state';
import type { AttemptResult } from './record.sql';

export type TracedAttempt = Claimed & { ended: FinishedAttempt; result: AttemptResult };

/**
 * Records the spans of an attempt after it ended: from the claim to the stored result, and the provider call in it. No
 * provider gets their IDs, so nothing needs them earlier. A request without a trace has no spans.
 */
export function recordSpans(tracing: Tracing, attempt: TracedAttempt): void {
  const { message, claimedAtMs, ended, result } = attempt;
  if (message.traceparent === undefined) return;
  const error = findError(attempt);
  const queue = getDeliverQueue(message.channel);
  const processing = tracing.start({
    name: `process ${queue}`,
    kind: 'consumer',
    parent: message.traceparent,
    startMs: claimedAtMs,
    attributes: {
      'messaging.system': 'belfry',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': queue,
      'messaging.message.id': message.id,
      'belfry.request_id': message.requestId,
      'belfry.app_id': message.appId,
      'belfry.attempt': message.attempt,
      'belfry.outcome': result.outcome,
      'belfry.state': result.next.state,
    },
  });
  recordCall(tracing, processing.traceparent, { ...attempt, error });
  processing.end({ error, attributes: { 'belfry.waits': ended.notNow?.waits } });
}

function recordCall(
  tracing: Tracing,
  parent: string,
  { message, ended, error }: TracedAttempt & { error: string | undefined },
): void {
  const { provider, calledAtMs, callMs } = ended;
  if (provider === undefined || calledAtMs === undefined || callMs === undefined) return;
  const call = tracing.start({
    name: `send ${provider}`,
    kind: provider === sandboxProvider ? 'internal' : 'client',
    parent,
    startMs: calledAtMs,
    attributes: {
      'belfry.provider': provider,
      'belfry.integration_id': message.integrationId,
    },
  });
  call.end({ endMs: calledAtMs + callMs, error });
}

/** An expected refusal, such as an opt-out, and a wait for our own resources are no errors. */
function findError({ ended, result }: TracedAttempt): string | undefined {
  const isExpected = result.next.state === 'skipped' || ended.notNow !== undefined;
  if (result.outcome === 'accepted' || isExpected) return undefined;
  return result.reason ?? result.outcome;
}
