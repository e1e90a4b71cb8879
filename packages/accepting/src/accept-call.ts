import {
  type EventRow,
  type KeyOutcome,
  type NewIdempotencyKey,
  type NewItem,
  type NewRequest,
  sealTexts,
  sortWriteFailure,
  type VersionRow,
} from '@belfry/database';
import type { Batcher, Secrets } from '@belfry/runtime';
import { AppError, type WireItem } from '@belfry/shared';
import { sealToken } from './tokens';
import type { WriteResult } from './write-batcher';
import { conflict, orRefuseWrite } from './write-outcome';

export type FindLiveDeps = {
  findEvent(appId: string, name: string): Promise<EventRow | undefined>;
  findVersion(id: string): Promise<VersionRow | undefined>;
};

export type AcceptCallDeps = FindLiveDeps & {
  /** See createWriteBatcher. */
  write: Batcher<NewRequest, WriteResult>;
  secrets: Secrets;
};

/** What single and bulk have in common. */
export type EventCall = {
  /** The id of the call; it becomes the request's id. */
  callId: string;
  accountId: string;
  /** Undefined for an operator's test. */
  apiKeyId: string | undefined;
  app: { id: string; delivery: 'sandbox' | 'live' };
  eventName: string;
  /** As it was given, for the log view. */
  idempotencyKey: string | undefined;
  /** Written with the request; see createKeyedCall. */
  key: NewIdempotencyKey | undefined;
};

export type AcceptWork = {
  kind: NewRequest['request']['kind'];
  createItems(version: VersionRow): Promise<NewItem[]>;
};

/**
 * Accepts a call: it is committed in PostgreSQL when this resolves, or its key was used before. Throws
 * AppError for what the caller must know: event_not_found, event_not_live, unavailable.
 */
export function createAcceptCall(deps: AcceptCallDeps) {
  const findLive = createFindLive(deps);

  return async function acceptCall(call: EventCall, work: AcceptWork): Promise<KeyOutcome> {
    const live = await findLive(call);
    const items = await createItems(call, work, live);
    const request = requestOf(call, work, live);
    return orRefuseWrite(write({ request, key: call.key, items }));
  };

  async function createItems(
    { callId }: EventCall,
    work: AcceptWork,
    { version }: Live,
  ): Promise<NewItem[]> {
    const items = await work.createItems(version);
    if (!version.definition.isSensitive) return items;
    return items.map((item, index) => ({
      ...item,
      ...sealTexts(item, { requestId: callId, item: index }, deps.secrets),
    }));
  }

  async function write(request: NewRequest): Promise<KeyOutcome> {
    const result = await deps.write.add(request);
    if (!('error' in result)) return result;
    // Only a key's row can be held by another call.
    if (sortWriteFailure(result.error) === 'locked') throw conflict(result.error);
    throw result.error;
  }
}

type Live = { event: EventRow; version: VersionRow };

/** What goes out now by the event's name; throws event_not_found or event_not_live. */
export function createFindLive({ findEvent, findVersion }: FindLiveDeps) {
  return async function findLive({
    app,
    eventName,
  }: Pick<EventCall, 'app' | 'eventName'>): Promise<Live> {
    const event = await findEvent(app.id, eventName);
    if (!event) throw new AppError('event_not_found');
    const version = event.liveVersionId && (await findVersion(event.liveVersionId));
    if (!version) throw new AppError('event_not_live', 'event is a draft: publish it first');
    return { event, version };
  };
}

function requestOf(call: EventCall, { kind }: AcceptWork, live: Live): NewRequest['request'] {
  return {
    id: call.callId,
    accountId: call.accountId,
    appId: call.app.id,
    eventId: live.event.id,
    versionId: live.version.id,
    kind,
    apiKeyId: call.apiKeyId,
    idempotencyKey: call.idempotencyKey,
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
    recipient: textOf(user),
    data: textOf(item.data),
    override: textOf(item.override),
    locale: item.locale,
    scheduleAt: item.scheduleAt === undefined ? undefined : String(item.scheduleAt),
    plan: undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
