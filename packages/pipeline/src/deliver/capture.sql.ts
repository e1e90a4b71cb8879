import { jsonColumn, plainArray, readJsonColumn, textArray } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type pg from 'pg';

/** The number of captures that an app keeps. Until upkeep removes older ones, they are not found either. */
export const capturesPerApp = 500;

/** A message captured by the sandbox: the provider call that live delivery would have made. */
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

/** The row: content and request as JSON. */
export type StoredCapture = Omit<NewCapture, 'content' | 'request'> & {
  content: string;
  request: string;
};

export function toStoredCapture({ content, request, ...capture }: NewCapture): StoredCapture {
  return { ...capture, content: JSON.stringify(content), request: JSON.stringify(request) };
}

export async function writeCapture(pool: pg.Pool, capture: NewCapture): Promise<void> {
  await writeCaptures(pool, [toStoredCapture(capture)]);
}

/** Writes all captures in one statement. A second capture of the same attempt is ignored. */
export async function writeCaptures(pool: pg.Pool, captures: StoredCapture[]): Promise<void> {
  await pool.query({
    name: 'write-captures',
    text: statement,
    values: [
      plainArray(captures.map(() => newId())),
      plainArray(captures.map(({ appId }) => appId)),
      plainArray(captures.map(({ messageId }) => messageId)),
      plainArray(captures.map(({ attempt }) => attempt)),
      textArray(captures.map(({ channel }) => channel)),
      textArray(captures.map(({ provider }) => provider)),
      textArray(captures.map(({ target }) => target)),
      jsonColumn(captures.map(({ content }) => content)),
      jsonColumn(captures.map(({ request }) => request)),
      textArray(captures.map(({ outcome }) => outcome)),
    ],
  });
}

const statement = `
INSERT INTO capture (id, app_id, message_id, attempt, channel, provider, target, content, request, outcome)
SELECT t.id, t.app_id, t.message_id, t.attempt, t.channel, t.provider, t.target, t.content::jsonb, t.request::jsonb, t.outcome
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::text[],
  ${readJsonColumn('$8')}, ${readJsonColumn('$9')}, $10::text[])
  t (id, app_id, message_id, attempt, channel, provider, target, content, request, outcome)
ON CONFLICT (message_id, attempt) DO NOTHING`;
