import type { AppRow, UserRow, VersionRow } from '@belfry/database';
import type { Secrets, Tracing } from '@belfry/runtime';
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
  /** In item order. */
  listUnplannedItems(page: UnplannedItemsPage): Promise<UnplannedItem[]>;
  /** False, with nothing written, if the stored request is no longer `request`. */
  writePlans(request: UnplannedRequest, chunk: PlannedChunk): Promise<boolean>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findApp(id: string): Promise<AppRow | undefined>;
  findUsers(appId: string, userIds: string[]): Promise<Map<string, UserRow>>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  secrets: Secrets;
  newId: () => string;
  /** Absent if traces are off. */
  tracing?: Tracing | undefined;
};

const itemsPerChunk = 500;
/** How often one job restarts planning because another worker planned the same request. */
const maxAttempts = 20;

type PlanContext = { request: UnplannedRequest; version: VersionRow; app: AppRow };

/**
 * Plans the items of a request in chunks. It only writes rows; the relay enqueues the messages. It may stop anywhere and
 * run again, also twice at once, without writing a message twice.
 */
export function createFanOut(deps: FanOutDeps): (job: FanOutJob) => Promise<void> {
  return async function fanOut({ requestId }) {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const request = await deps.findUnplannedRequest(requestId);
      if (!request || (await traced(request, deps.tracing, planAll))) return;
    }
    throw new Error(`Other workers changed the request during ${maxAttempts} attempts to plan it`);
  };

  /** False if another worker advanced the request: it must be read again. */
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
    if (!version || !app) throw new Error('The version or the app of the request was not found');
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

/** Runs `planAll` within a span if traces are on and the request has one. */
function traced(
  request: UnplannedRequest,
  tracing: Tracing | undefined,
  planAll: (request: UnplannedRequest) => Promise<boolean>,
): Promise<boolean> {
  const { traceparent: parent, id, appId, items, plannedTo } = request;
  if (!tracing || parent === null) return planAll(request);
  const span = tracing.start({
    name: 'plan bulk',
    kind: 'internal',
    parent,
    startMs: performance.now(),
    attributes: {
      'belfry.request_id': id,
      'belfry.app_id': appId,
      'belfry.items': items - plannedTo,
    },
  });
  return planAll(request).finally(() => span.end({}));
}

async function findUsers(
  deps: Pick<FanOutDeps, 'findUsers'>,
  appId: string,
  userIds: string[],
): Promise<Map<string, UserRow>> {
  return userIds.length === 0 ? new Map() : deps.findUsers(appId, [...new Set(userIds)]);
}

/** Planning reads only the override's schedule, so data stays sealed. */
function openItem(item: UnplannedItem, requestId: string, secrets: Secrets): UnplannedItem {
  const texts = { data: undefined, override: item.override };
  return { ...item, ...openTexts(texts, { requestId, item: item.item }, secrets) };
}

/** Parses a stored item; the gateway validated each part. */
function readItem({ recipient, override, locale, scheduleAt }: UnplannedItem): WireItem {
  return {
    ...(recipient === undefined ? {} : { user: JSON.parse(recipient) as WireUser }),
    ...(override === undefined ? {} : { override: JSON.parse(override) as WireOverride }),
    ...(locale === undefined ? {} : { locale }),
    ...(scheduleAt === undefined ? {} : { scheduleAt }),
  };
}
