import type { Queryable } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { isPlanned } from '../operate/is-planned.sql';
import type { UpkeepTask } from '../relay/retention.sql';

/** What one item of a sensitive event may hold, as JSON. */
export type ItemTexts = { data: string | undefined; override: string | undefined };

export type ItemPlace = { requestId: string; item: number };

/** Where the part of a request's item is sealed to. */
export function itemPartPlace({ requestId, item }: ItemPlace, part: keyof ItemTexts): string {
  return `request_item:${requestId}:${item}:${part}`;
}

/** A JSON text that holds nothing but a sealed one: a call's data and override are objects, so these are told from it. */
export function sealTexts(texts: ItemTexts, place: ItemPlace, secrets: Secrets): ItemTexts {
  const seal = (part: keyof ItemTexts) => {
    const text = texts[part];
    return text && JSON.stringify(secrets.seal(text, itemPartPlace(place, part)));
  };
  return { data: seal('data'), override: seal('override') };
}

/** What `sealTexts` was given. A text that is not sealed, or dropped, is as it is. */
export function openTexts(texts: ItemTexts, place: ItemPlace, secrets: Secrets): ItemTexts {
  const open = (part: keyof ItemTexts) => {
    const parsed: unknown = texts[part] === undefined ? undefined : JSON.parse(texts[part]);
    return typeof parsed === 'string'
      ? secrets.open(parsed, itemPartPlace(place, part))
      : texts[part];
  };
  return { data: open('data'), override: open('override') };
}

/** An index knows these rows. */
const isSealed = `(starts_with(i.data, '"') OR starts_with(i.override, '"'))`;
/** Nothing of it is still to be sent. */
const isSettled = `EXISTS (SELECT 1 FROM request r WHERE r.id = i.request_id AND ${isPlanned('i', 'r')}) AND NOT EXISTS (
  SELECT 1 FROM message m WHERE m.request_id = i.request_id AND m.item = i.item AND m.due_at IS NOT NULL)`;

/** Drops what a sensitive event said, of those of the messages' items of which nothing is to be sent any more. */
export async function dropSettledTexts(database: Queryable, messageIds: string[]): Promise<void> {
  await database.query({
    name: 'drop-settled-texts',
    text: `UPDATE request_item i SET data = NULL, override = NULL
           FROM (SELECT DISTINCT request_id, item FROM message WHERE id = ANY ($1::uuid[])) t
           WHERE i.request_id = t.request_id AND i.item = t.item AND ${isSealed} AND ${isSettled}`,
    values: [messageIds],
  });
}

/** What nobody dropped when it was settled: an item without a message, or one whose process ended just then. */
export function createSealedTextsRemoval(chunk: number): UpkeepTask {
  return {
    name: 'what a sensitive event said',
    async removeChunk(database) {
      const { rowCount } = await database.query({
        text: `UPDATE request_item u SET data = NULL, override = NULL
               WHERE (u.request_id, u.item) IN (
                 SELECT i.request_id, i.item FROM request_item i WHERE ${isSealed} AND ${isSettled} LIMIT $1)`,
        values: [chunk],
      });
      const removed = rowCount ?? 0;
      return { removed, mayBeMore: removed === chunk };
    },
  };
}
