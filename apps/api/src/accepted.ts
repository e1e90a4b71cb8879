import type { Accepted } from '@belfry/accepting';
import type { Answer } from './answer';

/** The answer to what was accepted, now or by the first call with its key; `more` goes into its body. */
export function accepted({ requestId, isReplay }: Accepted, more: object = {}): Answer {
  return {
    status: 200,
    body: JSON.stringify({ request_id: requestId, id: requestId, success: true, ...more }),
    ...(isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
  };
}
