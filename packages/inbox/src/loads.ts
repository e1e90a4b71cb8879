import type { CallResult, Gateway } from './gateway';
import type { Page } from './pages';
import type { Store } from './store';
import type { InboxCounts, InboxItem } from './types';

export type PageAnswer = {
  items: InboxItem[];
  before?: string;
  after?: string;
  counts: InboxCounts;
  /** The event ID from which a stream continues. */
  stream: string;
};

export type Load = {
  query: { before?: string; after?: string };
  accept(page: Page, answer: PageAnswer): void;
  signal?: AbortSignal | undefined;
};

export type Loads = {
  load(load: Load): Promise<CallResult<PageAnswer>>;
  /** Pages that are being loaded now will not be accepted. */
  invalidate(): void;
  isLoading(): boolean;
};

type LoadsDeps = {
  gateway: Pick<Gateway, 'call'>;
  store: Store;
  pageSize: number;
  /** No page is being loaded any more. */
  onIdle(): void;
};

/** Gets pages of items. */
export function createLoads({ gateway, store, pageSize, onIdle }: LoadsDeps): Loads {
  let running = 0;
  let generation = 0;

  async function load({ query, accept, signal }: Load) {
    const startedIn = generation;
    running += 1;
    const call = { path: 'items', query: { limit: pageSize, ...query }, signal };
    const result = await gateway.call<PageAnswer>(call);
    running -= 1;
    if (result.ok && startedIn === generation) {
      const { items, before, after, counts } = result.body;
      accept({ items, before, after }, result.body);
      store.update({ counts });
    }
    if (running === 0) onIdle();
    return result;
  }

  return {
    load,
    invalidate() {
      generation += 1;
    },
    isLoading: () => running > 0,
  };
}
