import { isPaused } from '../deliver/eligibility.sql';

/**
 * Why the message `m` waits now: a key of `queueReasons`; NULL unless it is queued. The stored reason counts until the message is due. Then it
 * waits for the end of a pause, whether or not a worker has looked at it, or for a worker.
 */
export const waitReason = (m: string) => `CASE
      WHEN ${m}.state <> 'queued' THEN NULL
      WHEN ${m}.due_at > now() AND ${m}.waits IS NOT NULL THEN ${m}.waits
      WHEN ${isPaused(m)} THEN 'paused'
      ELSE 'due' END`;
