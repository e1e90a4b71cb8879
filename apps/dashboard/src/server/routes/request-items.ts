import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toItemNumber } from '@belfry/shared';
import type { Response } from 'express';
import type { ItemFilters, ItemRow } from '../../api/request-items';
import { toCsvLine } from '../csv';
import { notFound, Refusal } from '../problem';
import { type ItemSearch, type ReadItems, readItemPage, walkItems } from '../request-items';
import { type AppCall, type Handlers, readId } from '../route';
import { showTarget } from '../show-target';

export type RequestItemHandlersDeps = {
  readItems: ReadItems;
  /** The number of items of a request; undefined if the app has none with this id. */
  countItems(appId: string, requestId: string): Promise<number | undefined>;
  /** How long an export may take; 60 s by default. */
  maxExportMs?: number;
};

/** The items of a request, as pages and as a file. */
export function createRequestItemHandlers({
  readItems,
  countItems,
  maxExportMs = 60_000,
}: RequestItemHandlersDeps) {
  const startExport = createExportLimit();
  return {
    async 'GET /api/apps/:appId/requests/:requestId/items'(call) {
      const { cursor = 0, ...filters } = call.query;
      return readItemPage(readItems, await createSearch(call, filters), cursor);
    },

    async 'GET /api/apps/:appId/requests/:requestId/items.csv'(call) {
      const search = await createSearch(call, call.query);
      const end = startExport(call.session.operator.id);
      try {
        const pages = walkItems(readItems, search);
        // The first page is read before the headers leave, so that its error is answered as one.
        const first = await pages.next();
        await sendCsv(call.res, { requestId: search.requestId, maxExportMs }, async function* () {
          yield toCsvLine(columns);
          if (!first.done) yield toLines(first.value);
          for await (const page of pages) yield toLines(page);
        });
        return undefined;
      } finally {
        end();
      }
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
      const shown = target === null ? null : showTarget(channel, target);
      const result = [channel, shown, state, reason, generation, messageId, settled];
      return toCsvLine([toItemNumber(item), recipient, ...result]);
    });
}

/** Exports at once. Each reads all items of a request. */
const maxExports = 4;

/** Allows one export per operator at once. */
function createExportLimit() {
  const operatorIds = new Set<string>();
  /** Returns a function that ends the export. */
  return function startExport(operatorId: string): () => void {
    if (operatorIds.has(operatorId)) {
      throw new Refusal('unavailable', 'Another export of yours is running. Wait until it ends.');
    }
    if (operatorIds.size >= maxExports) {
      throw new Refusal('unavailable', `${maxExports} operators export files now. Try again.`, {
        headers: { 'Retry-After': '10' },
      });
    }
    operatorIds.add(operatorId);
    return () => void operatorIds.delete(operatorId);
  };
}

/** Reads the next page only when the browser has taken the last one. A late or failed export ends the connection. */
async function sendCsv(
  res: Response,
  { requestId, maxExportMs }: { requestId: string; maxExportMs: number },
  listLines: () => AsyncIterable<string>,
): Promise<void> {
  res.set({
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="belfry-${requestId}.csv"`,
    'Cache-Control': 'no-store',
  });
  const signal = AbortSignal.timeout(maxExportMs);
  try {
    await pipeline(Readable.from(listLines(), { highWaterMark: 1 }), res, { signal });
  } catch (error) {
    // The operator cancelled the download.
    if (isClosed(error)) return;
    if (!signal.aborted) throw error;
    const seconds = maxExportMs / 1_000;
    throw new Refusal('unavailable', `The export was cut off after ${seconds} seconds.`);
  }
}

/** The browser closed the connection, during the export or before it began. */
const closeCodes: unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE'];

const isClosed = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && closeCodes.includes(error.code);
