import type { PlannedItem, UnplannedItem, UnplannedItemsPage } from '@belfry/database';
import { createFanOut, type FanOutDeps } from './fan-out';

const itemsOf = (from: number, to: number): UnplannedItem[] =>
  Array.from({ length: to - from }, (_, index) => ({
    item: from + index,
    recipient: '{"mobile":"+4520000001"}',
    override: undefined,
    locale: undefined,
    scheduleAt: undefined,
  }));

/** A request of so many items, of which none is planned. */
function setUp(count: number, changes: Partial<FanOutDeps> = {}) {
  const pages: UnplannedItemsPage[] = [];
  const written: number[][] = [];
  const deps = {
    findUnplannedRequest: async () => ({ id: 'r', appId: 'a', versionId: 'v' }),
    async listUnplannedItems(page: UnplannedItemsPage) {
      pages.push(page);
      return itemsOf(page.after + 1, Math.min(count, page.after + 1 + page.limit));
    },
    async writePlans(_request: unknown, planned: PlannedItem[]) {
      written.push(planned.map(({ item }) => item));
    },
    findVersion: async () => ({ id: 'v', eventId: 'e', definition: {} }),
    findApp: async () => ({ id: 'a' }),
    findUsers: () => Promise.reject(new Error('nobody is stored')),
    plan: () => ({ messages: [], skips: {}, locale: undefined }),
    newId: () => '',
    ...changes,
  };
  // Only what fanout itself looks at is given.
  return { fanOut: createFanOut(deps as unknown as FanOutDeps), pages, written };
}

describe('fanout', () => {
  test('writes each item once, in chunks, and asks for no user where none is named', async () => {
    const { fanOut, written } = setUp(1_200);
    await fanOut({ requestId: 'r' });
    expect(written.map((chunk) => chunk.length)).toEqual([500, 500, 200]);
    expect(written.flat()).toEqual(itemsOf(0, 1_200).map(({ item }) => item));
  });

  test('plans a chunk while the one before is written', async () => {
    const order: string[] = [];
    const { fanOut } = setUp(600, {
      async writePlans() {
        order.push('write');
        await new Promise(setImmediate);
        order.push('written');
      },
      async listUnplannedItems({ after, limit }) {
        order.push(`list after ${after}`);
        return itemsOf(after + 1, Math.min(600, after + 1 + limit));
      },
    });
    await fanOut({ requestId: 'r' });
    expect(order.slice(0, 4)).toEqual(['list after -1', 'list after 499', 'write', 'written']);
  });

  test('fails where a chunk is not written, and leaves the rest to the next one who is woken', async () => {
    const refused = new Error('refused');
    const { fanOut, pages } = setUp(5_000, { writePlans: () => Promise.reject(refused) });
    await expect(fanOut({ requestId: 'r' })).rejects.toBe(refused);
    expect(pages.length).toBeLessThanOrEqual(2);
  });
});
