import { createFanOut, type FanOutDeps } from './fan-out';
import type {
  PlannedChunk,
  UnplannedItem,
  UnplannedItemsPage,
  UnplannedRequest,
} from './fan-out.sql';

const createItems = (from: number, to: number): UnplannedItem[] =>
  Array.from({ length: to - from }, (_, index) => ({
    item: from + index,
    recipient: '{"mobile":"+4520000001"}',
    override: undefined,
    locale: undefined,
    scheduleAt: undefined,
  }));

const userRow = (userId: string) => ({ id: `${userId}'s row`, userId, contact: {}, devices: [] });

/** A request with this many unplanned items. */
function setUp(count: number, changes: Partial<FanOutDeps> = {}) {
  const pages: UnplannedItemsPage[] = [];
  const writtenItems: number[][] = [];
  const request = {
    id: 'r',
    appId: 'a',
    versionId: 'v',
    items: count,
    plannedItems: 0,
    plannedTo: 0,
    traceparent: null,
  };
  const deps = {
    findUnplannedRequest: async (): Promise<UnplannedRequest | undefined> => request,
    async listUnplannedItems(page: UnplannedItemsPage) {
      pages.push(page);
      return createItems(page.from, Math.min(count, page.from + page.limit));
    },
    async writePlans(_request: unknown, { items }: PlannedChunk) {
      writtenItems.push(items.map(({ item }) => item));
      return true;
    },
    findVersion: async () => ({ id: 'v', eventId: 'e', definition: {} }),
    findApp: async () => ({ id: 'a' }),
    findUsers: () => Promise.reject(new Error('no user is stored')),
    plan: () => ({ messages: [], skips: {}, locale: undefined }),
    newId: () => '',
    ...changes,
  };
  // Only the fields that fan-out reads are set.
  return { fanOut: createFanOut(deps as unknown as FanOutDeps), pages, written: writtenItems };
}

describe('fan-out', () => {
  test('writes each item once, in chunks, and looks up no user if none is named', async () => {
    const { fanOut, written: writtenItems } = setUp(1_200);
    await fanOut({ requestId: 'r' });
    expect(writtenItems.map((chunk) => chunk.length)).toEqual([500, 500, 200]);
    expect(writtenItems.flat()).toEqual(createItems(0, 1_200).map(({ item }) => item));
  });

  test('plans each item with the user that its own app stores under its user_id', async () => {
    const queries: unknown[] = [];
    const planned: unknown[] = [];
    const items = ['ana', 'bob', 'ana', 'nobody'].map((user_id, item) => ({
      ...createItems(item, item + 1)[0]!,
      recipient: JSON.stringify({ user_id }),
    }));
    const { fanOut } = setUp(items.length, {
      listUnplannedItems: async () => items,
      async findUsers(appId, userIds) {
        queries.push([appId, userIds]);
        const stored = ['ana', 'bob'].map((userId) => [userId, userRow(userId)] as const);
        return new Map(stored);
      },
      readStoredRecipient: ({ id }) => ({ userId: id }),
      plan({ stored }) {
        planned.push(stored?.userId);
        return { messages: [], skips: {}, locale: undefined };
      },
    });
    await fanOut({ requestId: 'r' });
    expect(queries).toEqual([['a', ['ana', 'bob', 'nobody']]]);
    expect(planned).toEqual(["ana's row", "bob's row", "ana's row", undefined]);
  });

  test('plans a chunk while the previous one is being written', async () => {
    const order: string[] = [];
    const { fanOut } = setUp(600, {
      async writePlans() {
        order.push('write');
        await new Promise(setImmediate);
        order.push('written');
        return true;
      },
      async listUnplannedItems({ from, limit }) {
        order.push(`list from ${from}`);
        return createItems(from, Math.min(600, from + limit));
      },
    });
    await fanOut({ requestId: 'r' });
    expect(order.slice(0, 4)).toEqual(['list from 0', 'list from 500', 'write', 'written']);
  });

  test('fails if a chunk is not written, and leaves the rest to the next job', async () => {
    const writeError = new Error('refused');
    const { fanOut, pages } = setUp(5_000, { writePlans: () => Promise.reject(writeError) });
    await expect(fanOut({ requestId: 'r' })).rejects.toBe(writeError);
    expect(pages.length).toBeLessThanOrEqual(2);
  });

  test('advances the request to the end of each chunk, past items that were planned out of order', async () => {
    const chunks: [number, number, number][] = [];
    const { fanOut } = setUp(600, {
      // Half of the first 1,000 of 1,200 items are planned.
      findUnplannedRequest: async () => ({
        ...{ id: 'r', appId: 'a', versionId: 'v' },
        ...{ items: 1_200, plannedItems: 600, plannedTo: 100, traceparent: null },
      }),
      listUnplannedItems: async ({ from, limit }) =>
        createItems(0, 1_000)
          .filter(({ item }) => item % 2 === 0 && item >= from)
          .slice(0, limit),
      async writePlans(_request, { from, to, items }) {
        chunks.push([from, to, items.length]);
        return true;
      },
    });
    await fanOut({ requestId: 'r' });
    expect(chunks).toEqual([[100, 1_200, 450]]);
  });

  test('advances to the end even if no item is left to plan', async () => {
    const chunks: PlannedChunk[] = [];
    const { fanOut } = setUp(500, {
      listUnplannedItems: async () => [],
      async writePlans(_request, chunk) {
        chunks.push(chunk);
        return true;
      },
    });
    await fanOut({ requestId: 'r' });
    expect(chunks).toEqual([{ from: 0, to: 500, items: [] }]);
  });

  test('rereads the request and continues if another worker advanced it', async () => {
    const states = [0, 500, 1_000].map((plannedTo) => ({
      ...{ id: 'r', appId: 'a', versionId: 'v', items: 1_200, plannedItems: 0, traceparent: null },
      plannedTo,
    }));
    const attempts: [number, number][] = [];
    const { fanOut } = setUp(1_200, {
      findUnplannedRequest: async () => states.shift(),
      async writePlans({ plannedTo }, { from }) {
        attempts.push([plannedTo, from]);
        return plannedTo === 1_000;
      },
    });
    await fanOut({ requestId: 'r' });
    expect(attempts).toEqual([
      [0, 0],
      [500, 500],
      [1_000, 1_000],
    ]);
  });

  test('fails if other workers always advance it first, and leaves it to the next job', async () => {
    let tries = 0;
    const { fanOut } = setUp(10, {
      async writePlans() {
        tries += 1;
        return false;
      },
    });
    await expect(fanOut({ requestId: 'r' })).rejects.toThrow('Other workers');
    expect(tries).toBeLessThanOrEqual(100);
  });
});
