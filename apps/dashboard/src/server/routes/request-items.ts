import { toItemNumber } from '@belfry/shared';
import type { ItemFilters, ItemRow } from '../../api/request-items';
import { toCsvLine } from '../csv';
import { createCsvExports } from '../csv-export';
import { notFound } from '../problem';
import { type ItemSearch, type ReadItems, readItemPage, walkItems } from '../request-items';
import { type AppCall, type Handlers, readId } from '../route';
import { showTarget } from '../show-target';

export type RequestItemHandlersDeps = {
  readItems: ReadItems;
  /** The number of items of a request; undefined if the app has none with this id. */
  countItems(appId: string, requestId: string): Promise<number | undefined>;
  /** How long an export may take. */
  maxExportMs?: number;
};

/** The items of a request, as pages and as a file. */
export function createRequestItemHandlers({
  readItems,
  countItems,
  maxExportMs,
}: RequestItemHandlersDeps) {
  const sendCsv = createCsvExports({ maxExportMs });
  return {
    async 'GET /api/apps/:appId/requests/:requestId/items'(call) {
      const { cursor = 0, ...filters } = call.query;
      return readItemPage(readItems, await createSearch(call, filters), cursor);
    },

    async 'GET /api/apps/:appId/requests/:requestId/items.csv'(call) {
      const search = await createSearch(call, call.query);
      await sendCsv(call, {
        name: `belfry-${search.requestId}.csv`,
        columns,
        listPages: () => walkItems(readItems, search),
        toLines,
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
      const shown = target === null ? null : showTarget(channel, target);
      const result = [channel, shown, state, reason, generation, messageId, settled];
      return toCsvLine([toItemNumber(item), recipient, ...result]);
    });
}
