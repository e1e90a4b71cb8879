import { newId } from '@belfry/runtime';
import type pg from 'pg';

/** What the sandbox took: the provider call that would have been made. */
export type NewCapture = {
  appId: string;
  messageId: string;
  attempt: number;
  channel: string;
  provider: string;
  target: string;
  content: unknown;
  request: unknown;
  outcome: string;
};

/** Once an attempt: a repeated capture is the same one. */
export async function writeCapture(pool: pg.Pool, capture: NewCapture): Promise<void> {
  await pool.query({
    name: 'write-capture',
    text: `INSERT INTO capture (id, app_id, message_id, attempt, channel, provider, target, content, request, outcome)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           ON CONFLICT (message_id, attempt) DO NOTHING`,
    values: [
      newId(),
      capture.appId,
      capture.messageId,
      capture.attempt,
      capture.channel,
      capture.provider,
      capture.target,
      JSON.stringify(capture.content),
      JSON.stringify(capture.request),
      capture.outcome,
    ],
  });
}
