import {
  type AppRow,
  openTexts,
  type PlannedItem,
  type UnplannedItem,
  type UnplannedItemsPage,
  type UnplannedRequest,
  type UserRow,
  type VersionRow,
} from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type { FanOutJob, Recipient, WireItem, WireOverride, WireUser } from '@belfry/shared';
import type { Plan } from './plan';

export type FanOutDeps = {
  findUnplannedRequest(requestId: string): Promise<UnplannedRequest | undefined>;
  /** In their order, those behind item number `after`. */
  listUnplannedItems(page: UnplannedItemsPage): Promise<UnplannedItem[]>;
  writePlans(request: UnplannedRequest, planned: PlannedItem[]): Promise<void>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findApp(id: string): Promise<AppRow | undefined>;
  findUsers(appId: string, userIds: string[]): Promise<Map<string, UserRow>>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  secrets: Secrets;
  newId: () => string;
};

const itemsPerChunk = 500;
const beforeFirst = -1;

type PlannedOf = { requestId: string; version: VersionRow; app: AppRow };

/**
 * Plans the items of a request in chunks, writing rows only: the relay queues them. May be stopped
 * anywhere and run again, also by two at once; no message is written twice.
 */
export function createFanOut(deps: FanOutDeps): (job: FanOutJob) => Promise<void> {
  return async function fanOut({ requestId }) {
    const request = await deps.findUnplannedRequest(requestId);
    if (!request) return;
    const [version, app] = await Promise.all([
      deps.findVersion(request.versionId),
      deps.findApp(request.appId),
    ]);
    if (!version || !app) throw new Error('A request without version or app');
    const planned = { requestId, version, app };
    let chunk = await planNext(beforeFirst, planned);
    while (chunk.length > 0) {
      // The next chunk is planned while PostgreSQL writes this one.
      const [next] = await Promise.all([
        planNext(chunk.at(-1)?.item ?? beforeFirst, planned),
        deps.writePlans(request, chunk),
      ]);
      chunk = next;
    }
  };

  async function planNext(after: number, of: PlannedOf): Promise<PlannedItem[]> {
    const { requestId } = of;
    const page = { requestId, after, limit: itemsPerChunk };
    return planChunk(await deps.listUnplannedItems(page), of);
  }

  async function planChunk(
    items: UnplannedItem[],
    { requestId, version, app }: PlannedOf,
  ): Promise<PlannedItem[]> {
    const open = (item: UnplannedItem) =>
      version.definition.isSensitive ? openItem(item, requestId, deps.secrets) : item;
    const read = items.map((item) => ({ number: item.item, item: readItem(open(item)) }));
    const userIds = read.flatMap(({ item }) => item.user?.user_id ?? []);
    const users = await findUsers(deps, app.id, userIds);
    return read.map(({ number, item }) => {
      const user = item.user?.user_id === undefined ? undefined : users.get(item.user.user_id);
      return {
        item: number,
        plan: deps.plan({
          item,
          stored: user && deps.readStoredRecipient(user),
          definition: version.definition,
          delivery: app.delivery,
          now: new Date(),
          newId: deps.newId,
        }),
      };
    });
  }
}

async function findUsers(
  deps: Pick<FanOutDeps, 'findUsers'>,
  appId: string,
  userIds: string[],
): Promise<Map<string, UserRow>> {
  return userIds.length === 0 ? new Map() : deps.findUsers(appId, [...new Set(userIds)]);
}

/** What is planned needs the times of the override only. */
function openItem(item: UnplannedItem, requestId: string, secrets: Secrets): UnplannedItem {
  const texts = { data: undefined, override: item.override };
  return { ...item, ...openTexts(texts, { requestId, item: item.item }, secrets) };
}

/** An item as it was stored; the gateway checked each part before it was. */
function readItem({ recipient, override, locale, scheduleAt }: UnplannedItem): WireItem {
  return {
    ...(recipient === undefined ? {} : { user: JSON.parse(recipient) as WireUser }),
    ...(override === undefined ? {} : { override: JSON.parse(override) as WireOverride }),
    ...(locale === undefined ? {} : { locale }),
    ...(scheduleAt === undefined ? {} : { scheduleAt }),
  };
}
