import type { InboxStates } from '@belfry/shared';
import type pg from 'pg';
import { type InboxAddress, type InboxPosition, isShown } from './inbox-item.sql';
import { movedFrom } from './receipts';

export type ItemsChange = InboxAddress & {
  /** Items after this one stay unchanged. */
  upTo: InboxPosition;
  states: InboxStates;
};

const itemsPerStatement = 1_000;
const maxStatements = 100;

/**
 * Sets the states of all items up to a position, and returns how many it changed. Archived items are changed only if
 * `states` takes them out of the archive.
 */
export async function changeItems(
  pool: pg.Pool,
  { appId, userId, upTo, states }: ItemsChange,
): Promise<number> {
  const values = [...listStates(states), appId, userId, upTo.arrived, upTo.id];
  const text = states.archived === false ? changeArchivedStatement : changeShownStatement;
  let sum = 0;
  for (let round = 1; round <= maxStatements; round += 1) {
    const { rows } = await pool.query<{ changed: number }>(text, values);
    const changed = rows[0]?.changed ?? 0;
    sum += changed;
    if (changed < itemsPerStatement) break;
  }
  return sum;
}

/** Sets the states of one item, by its id. With `onlyShown`, an archived item stays as it is. */
export async function changeItem(
  pool: pg.Pool,
  id: string,
  { states, onlyShown }: { states: InboxStates; onlyShown: boolean },
): Promise<void> {
  await pool.query(changeStatement, [...listStates(states), id, onlyShown]);
}

/** The parameters $1 to $3: true sets a state, false undoes it, and null leaves it. An item that is read was seen. */
function listStates({ seen, read, archived }: InboxStates): (boolean | null)[] {
  return [read === true ? true : (seen ?? null), read ?? null, archived ?? null];
}

function setTime(column: string, state: string): string {
  return `${column} = CASE WHEN ${state} THEN coalesce(i.${column}, now()) WHEN NOT ${state} THEN NULL ELSE i.${column} END`;
}

const setStates = [
  setTime('seen_at', '$1::boolean'),
  setTime('read_at', '$2::boolean'),
  setTime('archived_at', '$3::boolean'),
].join(', ');

const differs = `(($1 <> (i.seen_at IS NOT NULL)) IS TRUE OR ($2 <> (i.read_at IS NOT NULL)) IS TRUE
  OR ($3 <> (i.archived_at IS NOT NULL)) IS TRUE)`;

/** Marks the messages of the items in `changed` as read, like a provider's receipt. They stay read. */
const readMessages = `
  UPDATE message m SET state = 'read', reason = NULL, due_at = NULL, job_id = NULL, waits = NULL,
    settled_at = coalesce(m.settled_at, now())
  FROM changed
  WHERE $2 AND m.id = changed.message_id AND m.state IN (${movedFrom.read.map((state) => `'${state}'`).join(', ')})`;

const changeStatement = `
WITH changed AS (
  UPDATE inbox_item i SET ${setStates}
  WHERE i.id = $4 AND (i.${isShown} OR NOT $5) AND ${differs}
  RETURNING i.message_id
)
${readMessages}`;

// Locks rows in order, so that two devices that change all items at once cannot deadlock.
const createChangeStatement = (isIncluded: string) => `
WITH locked AS (
  SELECT i.id FROM inbox_item i
  WHERE i.app_id = $4 AND i.user_id = $5 AND i.${isIncluded} AND (i.arrived, i.id) <= ($6::bigint, $7::uuid) AND ${differs}
  ORDER BY i.arrived, i.id LIMIT ${itemsPerStatement} FOR UPDATE
), changed AS (
  UPDATE inbox_item i SET ${setStates}
  FROM locked WHERE i.id = locked.id
  RETURNING i.message_id
), moved AS (${readMessages})
SELECT count(*)::int AS changed FROM locked`;

const changeShownStatement = createChangeStatement(isShown);
const changeArchivedStatement = createChangeStatement(`status = 'ARCHIVE'`);
