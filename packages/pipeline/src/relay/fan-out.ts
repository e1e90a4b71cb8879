import type { AppRow, UserRow, VersionRow } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type { FanOutJob, Recipient, WireItem, WireOverride, WireUser } from '@belfry/shared';
import type { Plan } from '../accept/plan';
import { openTexts } from '../accept/sealed-items';
import type {
  PlannedChunk,
  PlannedItem,
  UnplannedItem,
  UnplannedItemsPage,
  UnplannedRequest,
} from './fan-out.sql';

export type FanOutDeps = {
  findUnplannedRequest(requestId: string): Promise<UnplannedRequest | undefined>;
  /** In their order. */
  listUnplannedItems(page: UnplannedItemsPage): Promise<UnplannedItem[]>;
  /** False, and nothing is written, where `request` is not what is stored any more. */
  writePlans(request: UnplannedRequest, chunk: PlannedChunk): Promise<boolean>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findApp(id: string): Promise<AppRow | undefined>;
  findUsers(appId: string, userIds: string[]): Promise<Map<string, UserRow>>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  secrets: Secrets;
  newId: () => string;
};

const itemsPerChunk = 500;
/** How often the planning of a request is begun anew in one job, where somebody else is at it as well. */
const maxAttempts = 20;

type PlanContext = { request: UnplannedRequest; version: VersionRow; app: AppRow };

/**
 * Plans the items of a request in chunks, writing rows only: the relay queues them. May be stopped
 * anywhere and run again, also by two at once; no message is written twice.
 */
export function createFanOut(deps: FanOutDeps): (job: FanOutJob) => Promise<void> {
  return async function fanOut({ requestId }) {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const request = await deps.findUnplannedRequest(requestId);
      if (!request || (await planAll(request))) return;
    }
    throw new Error('Others plan the same request all the time');
  };

  /** False where somebody else came between: what is to be planned must be read again. */
  async function planAll(request: UnplannedRequest): Promise<boolean> {
    const context = await loadContext(request);
    let chunk: PlannedChunk | undefined = await planNext(request.plannedTo, context);
    while (chunk) {
      // The next chunk is planned while PostgreSQL writes this one.
      const [next, isWritten]: [PlannedChunk | undefined, boolean] = await Promise.all([
        chunk.to < request.items ? planNext(chunk.to, context) : undefined,
        deps.writePlans(request, chunk),
      ]);
      if (!isWritten) return false;
      chunk = next;
    }
    return true;
  }

  async function loadContext(request: UnplannedRequest): Promise<PlanContext> {
    const [version, app] = await Promise.all([
      deps.findVersion(request.versionId),
      deps.findApp(request.appId),
    ]);
    if (!version || !app) throw new Error('A request without version or app');
    return { request, version, app };
  }

  async function planNext(from: number, context: PlanContext): Promise<PlannedChunk> {
    const { id: requestId, items: end } = context.request;
    const storedItems = await deps.listUnplannedItems({ requestId, from, limit: itemsPerChunk });
    const last = storedItems.length === itemsPerChunk ? storedItems.at(-1) : undefined;
    return { from, to: last ? last.item + 1 : end, items: await planItems(storedItems, context) };
  }

  async function planItems(
    items: UnplannedItem[],
    { request, version, app }: PlanContext,
  ): Promise<PlannedItem[]> {
    const open = (item: UnplannedItem) =>
      version.definition.isSensitive ? openItem(item, request.id, deps.secrets) : item;
    const read = items.map((stored) => ({ stored, item: readItem(open(stored)) }));
    const userIds = read.flatMap(({ item }) => item.user?.user_id ?? []);
    const users = await findUsers(deps, app.id, userIds);
    const now = new Date();
    return read.map(({ stored, item }) => {
      const user = item.user?.user_id === undefined ? undefined : users.get(item.user.user_id);
      return {
        item: stored.item,
        locale: stored.locale,
        plan: deps.plan({
          item,
          stored: user && deps.readStoredRecipient(user),
          definition: version.definition,
          delivery: app.delivery,
          defaultRegion: app.defaultRegion,
          now,
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
