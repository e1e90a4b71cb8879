import type { Queryable } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { isPlanned } from '../operate/is-planned.sql';
import type { UpkeepTask } from '../relay/retention';

/** The JSON texts of a sensitive event's item. */
export type ItemTexts = { data: string | undefined; override: string | undefined };

export type ItemPlace = { requestId: string; item: number };

/** The place that binds a sealed part of a request's item. */
export function itemPartPlace({ requestId, item }: ItemPlace, part: keyof ItemTexts): string {
  return `request_item:${requestId}:${item}:${part}`;
}

/** Seals texts as JSON strings. Data and override are JSON objects, so a JSON string is always a sealed text. */
export function sealTexts(texts: ItemTexts, place: ItemPlace, secrets: Secrets): ItemTexts {
  const seal = (part: keyof ItemTexts) => {
    const text = texts[part];
    return text && JSON.stringify(secrets.seal(text, itemPartPlace(place, part)));
  };
  return { data: seal('data'), override: seal('override') };
}

/** Reverses `sealTexts`. Returns texts that are not sealed, or were dropped, unchanged. */
export function openTexts(texts: ItemTexts, place: ItemPlace, secrets: Secrets): ItemTexts {
  const open = (part: keyof ItemTexts) => {
    const parsed: unknown = texts[part] === undefined ? undefined : JSON.parse(texts[part]);
    return typeof parsed === 'string'
      ? secrets.open(parsed, itemPartPlace(place, part))
      : texts[part];
  };
  return { data: open('data'), override: open('override') };
}

/** A partial index has these rows. */
const isSealed = `(starts_with(i.data, '"') OR starts_with(i.override, '"'))`;
/** The item is planned and none of its messages is still to be sent. */
const isSettled = `EXISTS (SELECT 1 FROM request r WHERE r.id = i.request_id AND ${isPlanned('i', 'r')}) AND NOT EXISTS (
  SELECT 1 FROM message m WHERE m.request_id = i.request_id AND m.item = i.item AND m.due_at IS NOT NULL)`;

/** Drops the sealed texts of the messages' items that have nothing left to send. */
export async function dropSettledTexts(database: Queryable, messageIds: string[]): Promise<void> {
  await database.query({
    name: 'drop-settled-texts',
    text: `UPDATE request_item i SET data = NULL, override = NULL
           FROM (SELECT DISTINCT request_id, item FROM message WHERE id = ANY ($1::uuid[])) t
           WHERE i.request_id = t.request_id AND i.item = t.item AND ${isSealed} AND ${isSettled}`,
    values: [messageIds],
  });
}

/** Drops the texts that `dropSettledTexts` missed: items without messages, or whose process ended at that moment. */
export function createSealedTextsRemoval(chunk: number): UpkeepTask {
  return {
    name: 'sealed texts',
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
