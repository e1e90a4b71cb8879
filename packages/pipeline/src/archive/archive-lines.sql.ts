import type { Queryable } from '@belfry/database';

/** A table of which the archive keeps all rows of a request. */
type ArchivedTable = {
  type: string;
  /** `t` is the table. The keys are columns or expressions: request, item, then two that order its rows. */
  from: string;
  request: string;
  item: string;
  order: [id: string, number: string];
  columns: string[];
};

const messageKeys = { request: 'm.request_id', item: 'm.item' };
const words = (text: string) => text.trim().split(/\s+/);

/**
 * The lines of a file, in this order. Not archived: hashes by which a request is found, and columns that PostgreSQL generates.
 * docs/reference/archive.md lists the columns.
 */
export const archivedTables: ArchivedTable[] = [
  {
    type: 'request',
    from: 'request t',
    ...{ request: 't.id', item: '0', order: ['t.id', '0'] },
    columns: words(
      `id account_id app_id event_id version_id kind items planned_items planned_to api_key_id idempotency_key created_at
       traceparent`,
    ),
  },
  {
    type: 'item',
    from: 'request_item t',
    ...{ request: 't.request_id', item: 't.item', order: ['t.request_id', '0'] },
    columns: words(
      'request_id item recipient data override locale schedule_at skips planned_at metadata cancel_key',
    ),
  },
  {
    type: 'message',
    from: 'message t',
    ...{ request: 't.request_id', item: 't.item', order: ['t.id', '0'] },
    columns: words(
      `id request_id item app_id channel target generation state reason due_at expires_at job_id is_bulk attempts
       unknown_count integration_id waits notes resend_of created_at settled_at`,
    ),
  },
  {
    type: 'attempt',
    from: 'attempt t JOIN message m ON m.id = t.message_id',
    ...{ ...messageKeys, order: ['t.message_id', 't.number'] },
    columns: words(
      `message_id number opened_at closed_at worker integration_id provider outcome is_possible_duplicate reason detail
       provider_message_id request response`,
    ),
  },
  {
    type: 'receipt',
    from: 'receipt t JOIN message m ON m.id = t.message_id',
    ...{ ...messageKeys, order: ['t.id', '0'] },
    columns: words(
      'id app_id integration_id message_id provider_message_id state error_code detail body identity received_at',
    ),
  },
];

/** JSON as text becomes JSON. A sealed text is left out: it must not be kept longer than sending takes. */
const expressions: Record<string, string> = {
  recipient: 't.recipient::json',
  metadata: 't.metadata::json',
  data: `CASE WHEN NOT starts_with(t.data, '"') THEN t.data::json END`,
  override: `CASE WHEN NOT starts_with(t.override, '"') THEN t.override::json END`,
};

const union = archivedTables
  .map(({ type, from, request, item, order: [id, number], columns }, part) => {
    const values = columns.map((name) => `${expressions[name] ?? `t.${name}`} AS ${name}`);
    return `SELECT ${part} AS part, '${type}' AS type, ${request} AS request, ${item} AS item, ${id} AS id, ${number} AS number,
        row_to_json((SELECT line FROM (SELECT '${type}' AS type, ${values.join(', ')}) line))::text AS line
      FROM ${from} WHERE ${request} = ANY ($1::uuid[]) AND ${item} >= $2::int AND ${item} < $3::int`;
  })
  .join(' UNION ALL ');

/** JSON from callers may have line breaks between its tokens. Within strings they are always escaped. */
const linesStatement = `
SELECT type, translate(line, E'\\n\\r', '  ') AS line FROM (${union}) lines ORDER BY part, request, item, id, number`;

export type ArchivedRequest = { id: string; items: number };

/** Rows by type. */
export type LineCounts = Map<string, number>;

/** Rows of large items must fit into memory. */
const itemsPerPage = 50;
const lastItem = 2 ** 31 - 1;

/** Reads the lines of requests page by page, and counts them. */
export async function* readLines(
  database: Queryable,
  requests: readonly ArchivedRequest[],
  counts: LineCounts,
): AsyncGenerator<string> {
  for (const values of cutPages(requests)) {
    const { rows } = await database.query<{ type: string; line: string }>({
      text: linesStatement,
      values,
    });
    for (const { type } of rows) counts.set(type, (counts.get(type) ?? 0) + 1);
    yield rows.map(({ line }) => `${line}\n`).join('');
  }
}

/** Requests, and the items from one number to before another. */
type Page = [ids: string[], from: number, to: number];

/** Small requests share a page; a large one has several. */
function* cutPages(requests: readonly ArchivedRequest[]): Generator<Page> {
  let ids: string[] = [];
  let free = itemsPerPage;
  for (const { id, items } of requests) {
    if (items > free && ids.length > 0) {
      yield [ids, 0, lastItem];
      ids = [];
      free = itemsPerPage;
    }
    let from = 0;
    for (; items - from > itemsPerPage; from += itemsPerPage)
      yield [[id], from, from + itemsPerPage];
    if (from > 0) {
      yield [[id], from, lastItem];
    } else {
      ids.push(id);
      free -= items;
    }
  }
  if (ids.length > 0) yield [ids, 0, lastItem];
}
