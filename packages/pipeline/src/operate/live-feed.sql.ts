import type { Queryable } from '@belfry/database';

/** A message in the terminal output of `npm start`. */
export type FeedMessage = {
  id: string;
  channel: string;
  target: string;
  state: string;
  reason: string | null;
  waits: string | null;
};

export async function listFeedMessages(pool: Queryable, ids: string[]): Promise<FeedMessage[]> {
  const { rows } = await pool.query<FeedMessage>(
    `SELECT id, channel, target, state, reason, waits FROM message
     WHERE id = ANY ($1::uuid[]) ORDER BY id`,
    [ids],
  );
  return rows;
}

/** Lists the channels that the requests' items skipped, with reasons. */
export async function listFeedSkips(
  pool: Queryable,
  requestIds: string[],
): Promise<{ channel: string; reason: string }[]> {
  const { rows } = await pool.query<{ skips: unknown }>(
    'SELECT skips FROM request_item WHERE request_id = ANY ($1::uuid[]) LIMIT $2',
    [requestIds, maxItems],
  );
  return rows.flatMap(({ skips }) =>
    Object.entries(skips ?? {}).map(([channel, skip]) => ({ channel, reason: getReason(skip) })),
  );
}

const maxItems = 100;

function getReason(skip: unknown): string {
  const isObject = typeof skip === 'object' && skip !== null;
  return String(isObject && 'reason' in skip ? skip.reason : skip);
}
