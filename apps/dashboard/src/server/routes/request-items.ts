import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { ItemFilters, ItemRow } from '../../api/request-items';
import { toCsvLine } from '../csv';
import { notFound } from '../problem';
import { type ItemSearch, type ReadItems, readItemPage, walkItems } from '../request-items';
import { type AppCall, type Handlers, readId } from '../route';

export type RequestItemHandlersDeps = {
  readItems: ReadItems;
  /** The number of items of a request; undefined if the app has none with this id. */
  countItems(appId: string, requestId: string): Promise<number | undefined>;
};

/** The items of a request, as pages and as a file. */
export function createRequestItemHandlers({ readItems, countItems }: RequestItemHandlersDeps) {
  return {
    async 'GET /api/apps/:appId/requests/:requestId/items'(call) {
      const { cursor = 0, ...filters } = call.query;
      return readItemPage(readItems, await createSearch(call, filters), cursor);
    },

    async 'GET /api/apps/:appId/requests/:requestId/items.csv'(call) {
      const search = await createSearch(call, call.query);
      const pages = walkItems(readItems, search);
      // The first page is read before the headers leave, so that its error is answered as one.
      const first = await pages.next();
      await sendCsv(call.res, `belfry-${search.requestId}.csv`, async function* listLines() {
        yield toCsvLine(columns);
        if (!first.done) yield toLines(first.value);
        for await (const page of pages) yield toLines(page);
      });
      return undefined;
    },
  } satisfies Partial<Handlers>;

  async function createSearch(
    { app, path }: AppCall & { path: { requestId: string } },
    filters: ItemFilters,
  ): Promise<ItemSearch> {
    const requestId = readId(path.requestId, 'request');
    const items = await countItems(app.id, requestId);
    if (items === undefined) throw notFound('request');
    return { appId: app.id, requestId, items, filters };
  }
}

const columns = [
  'item',
  'recipient',
  'channel',
  'address',
  'state',
  'reason',
  'generation',
  'message_id',
  'settled_at',
];

function toLines(items: readonly ItemRow[]): string {
  return items.flatMap(listItemLines).join('');
}

function listItemLines({ item, recipient, messages }: ItemRow): string[] {
  return messages
    .filter(({ isMatch }) => isMatch)
    .map(({ channel, target, state, reason, generation, messageId, settledAt }) => {
      const settled = settledAt === null ? null : new Date(settledAt).toISOString();
      const result = [channel, target, state, reason, generation, messageId, settled];
      return toCsvLine([item + 1, recipient, ...result]);
    });
}

const maxExportMs = 60_000;

/** Reads the next page only when the browser has taken the last one. A late or failed export ends the connection. */
async function sendCsv(
  res: Response,
  filename: string,
  listLines: () => AsyncIterable<string>,
): Promise<void> {
  res.set({
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${filename}"`,
    'Cache-Control': 'no-store',
  });
  const signal = AbortSignal.timeout(maxExportMs);
  try {
    await pipeline(Readable.from(listLines(), { highWaterMark: 1 }), res, { signal });
  } catch (error) {
    // The operator cancelled the download.
    if (!isPrematureClose(error)) throw error;
  }
}

const isPrematureClose = (error: unknown) =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_STREAM_PREMATURE_CLOSE';
