import {
  classifyWriteFailure,
  type EventRow,
  itemTokenPlace,
  type UserRow,
  type VersionRow,
} from '@belfry/database';
import type { Awaitable, Batcher, Secrets } from '@belfry/runtime';
import {
  AppError,
  type Recipient,
  type VersionDefinition,
  type WireItem,
  type WireUser,
} from '@belfry/shared';
import type { Plan } from './plan';
import { type ItemPlace, sealTexts } from './sealed-items';
import type { KeyOutcome, NewIdempotencyKey } from './stored-key';
import type { NewItem, NewRequest, WriteResult } from './write.sql';
import { conflict, toRefusal } from './write-failure';

export type SendEventDeps = AcceptCallDeps & {
  findUser(appId: string, userId: string): Promise<UserRow | undefined>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  newId: () => string;
};

export type SendEventInput = EventCall & {
  item: WireItem;
  /** A test from the dashboard is marked and counted apart. */
  kind?: 'single' | 'test';
};

export type SendEvent = (input: SendEventInput) => Promise<KeyOutcome>;

/** Accepts a single send, planned at once; see createAcceptCall. */
export function createSendEvent(deps: SendEventDeps): SendEvent {
  const acceptCall = createAcceptCall(deps);

  return function sendEvent(input) {
    return acceptCall(input, {
      kind: input.kind ?? 'single',
      createItems: async ({ definition }) => [
        planItem(input, definition, await findStoredUser(input)),
      ],
    });
  };

  function planItem(
    { callId, app, item }: SendEventInput,
    definition: VersionDefinition,
    stored: Recipient | undefined,
  ): NewItem {
    const { plan, newId, secrets } = deps;
    const { delivery, defaultRegion } = app;
    const now = new Date();
    const itemPlan = plan({ item, stored, definition, delivery, defaultRegion, now, newId });
    return { ...newItem(item, secrets, { callId, index: 0 }), plan: itemPlan };
  }

  async function findStoredUser({ app, item }: SendEventInput): Promise<Recipient | undefined> {
    const userId = item.user?.user_id;
    if (!userId) return undefined;
    const user = await deps.findUser(app.id, userId);
    return user && deps.readStoredRecipient(user);
  }
}

export type FindLiveDeps = {
  findEvent(appId: string, name: string): Awaitable<EventRow | undefined>;
  findVersion(id: string): Awaitable<VersionRow | undefined>;
};

export type AcceptCallDeps = FindLiveDeps & {
  /** See createWriteBatcher. */
  write: Batcher<NewRequest, WriteResult>;
  secrets: Secrets;
};

/** The fields that single and bulk sends share. */
export type EventCall = {
  /** The id of the call; it becomes the request's id. */
  callId: string;
  accountId: string;
  /** Undefined for an operator's test. */
  apiKeyId: string | undefined;
  app: { id: string; delivery: 'sandbox' | 'live'; defaultRegion: string | null };
  eventName: string;
  /** As it was given, for the log view. */
  idempotencyKey: string | undefined;
  /** Written with the request; see createRunIdempotentRequest. */
  key: NewIdempotencyKey | undefined;
  /** See parseTraceparent. */
  traceparent?: string | undefined;
};

export type AcceptWork = {
  kind: NewRequest['request']['kind'];
  createItems(version: VersionRow): Awaitable<NewItem[]>;
};

/**
 * Accepts a call: it is committed in PostgreSQL when this resolves, or its key was used before. Throws
 * AppError for what the caller must know: event_not_found, event_not_live, unavailable.
 */
export function createAcceptCall(deps: AcceptCallDeps) {
  const findLive = createFindLive(deps);

  return async function acceptCall(call: EventCall, work: AcceptWork): Promise<KeyOutcome> {
    const live = await findLive(call);
    const items = await work.createItems(live.version);
    return await write({
      request: buildRequest(call, work, live),
      key: call.key,
      items: live.version.definition.isSensitive ? seal(items, call) : items,
    });
  };

  function seal(items: NewItem[], { callId }: EventCall): NewItem[] {
    return items.map((item, index) => ({
      ...item,
      ...sealTexts(item, { requestId: callId, item: index }, deps.secrets),
    }));
  }

  function write(request: NewRequest): Promise<KeyOutcome> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => reject(toRefusal(error));
      deps.write.addFor(request, {
        resolve(result) {
          if (!('error' in result)) resolve(result);
          // Only a key's row can be held by another call.
          else if (classifyWriteFailure(result.error) === 'locked') reject(conflict(result.error));
          else refuse(result.error);
        },
        reject: refuse,
      });
    });
  }
}

type LiveEvent = { event: EventRow; version: VersionRow };

/** Finds the event and its live version by name. Throws event_not_found or event_not_live. */
export function createFindLive({ findEvent, findVersion }: FindLiveDeps) {
  return async function findLive({
    app,
    eventName,
  }: Pick<EventCall, 'app' | 'eventName'>): Promise<LiveEvent> {
    const event = await findEvent(app.id, eventName);
    if (!event) throw new AppError('event_not_found');
    const version = event.liveVersionId ? await findVersion(event.liveVersionId) : undefined;
    if (!version) throw new AppError('event_not_live', 'event is a draft: publish it first');
    return { event, version };
  };
}

function buildRequest(
  call: EventCall,
  { kind }: AcceptWork,
  live: LiveEvent,
): NewRequest['request'] {
  return {
    id: call.callId,
    accountId: call.accountId,
    appId: call.app.id,
    eventId: live.event.id,
    versionId: live.version.id,
    kind,
    apiKeyId: call.apiKeyId,
    idempotencyKey: call.idempotencyKey,
    traceparent: call.traceparent,
  };
}

/** An item as it is stored, its Slack token sealed to it, and not planned yet. */
export function newItem(
  item: WireItem,
  secrets: Secrets,
  { callId, index }: { callId: string; index: number },
): NewItem {
  const user = item.user && sealToken(item.user, secrets, { requestId: callId, item: index });
  return {
    recipient: toJson(user),
    data: toJson(item.data),
    override: toJson(item.override),
    locale: item.locale,
    scheduleAt: item.scheduleAt === undefined ? undefined : String(item.scheduleAt),
    metadata: toJson(item.metadata),
    cancelKey: item.cancelKey,
    plan: undefined,
  };
}

/** Returns the request's `user` for storage, with the Slack token sealed to its item. */
function sealToken(user: WireUser, secrets: Secrets, at: ItemPlace): WireUser {
  const token = user.slack?.access_token?.trim();
  if (!token) return user;
  const sealed = secrets.seal(token, itemTokenPlace(at.requestId, at.item));
  return { ...user, slack: { ...user.slack, access_token: sealed } };
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
