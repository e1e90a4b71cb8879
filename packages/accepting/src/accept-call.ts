import { hash } from 'node:crypto';
import {
  type EventRow,
  isRefusedContent,
  type NewIdempotencyKey,
  type NewItem,
  type NewRequest,
  type StoredKey,
  type VersionRow,
} from '@belfry/database';
import { type Batcher, BatcherFullError, type Secrets } from '@belfry/runtime';
import { AppError, type WireItem } from '@belfry/shared';
import { sealToken } from './tokens';
import type { WriteResult } from './write-batcher';

export type AcceptCallDeps = {
  findEvent(appId: string, name: string): Promise<EventRow | undefined>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findStoredKey(accountId: string, hash: Buffer): Promise<StoredKey | undefined>;
  /** See createWriteBatcher. */
  write: Batcher<NewRequest, WriteResult>;
  secrets: Secrets;
};

/** What single and bulk have in common. */
export type EventCall = {
  /** The id of the call; it becomes the request's id. */
  callId: string;
  accountId: string;
  apiKeyId: string;
  app: { id: string; delivery: 'sandbox' | 'live' };
  eventName: string;
  idempotencyKey?: string;
};

export type AcceptWork = {
  kind: NewRequest['request']['kind'];
  /** One text for every call that means the same; asked for only where there is a key. */
  fingerprintText(): string;
  createItems(version: VersionRow): Promise<NewItem[]>;
};

/** A replay has the first call's id. */
export type Accepted = { requestId: string; isReplay: boolean };

const purpose = 'idempotency';

/**
 * Accepts a call: it is committed in PostgreSQL when this resolves. Throws AppError for what the
 * caller must know: event_not_found, event_not_live, idempotency_mismatch, unavailable.
 */
export function createAcceptCall(deps: AcceptCallDeps) {
  return async function acceptCall(call: EventCall, work: AcceptWork): Promise<Accepted> {
    const key = keyFor(call, work, deps.secrets);
    const live = await findLive(call);
    if (live instanceof AppError) return replayOrRefuse(call, key, live);
    const items = await work.createItems(live.version);
    const result = await write({ request: requestOf(call, work, live), key: key?.row, items });
    if (result.isWritten) return { requestId: call.callId, isReplay: false };
    return replay(result.winner, key);
  };

  // A retry of an accepted call gets its answer also after the event was deleted.
  async function replayOrRefuse(
    { accountId }: EventCall,
    key: CallKey | undefined,
    refusal: AppError,
  ): Promise<Accepted> {
    const stored = key && (await deps.findStoredKey(accountId, key.row.hash));
    if (!stored) throw refusal;
    return replay(stored, key);
  }

  async function findLive(call: EventCall): Promise<Live | AppError> {
    const event = await deps.findEvent(call.app.id, call.eventName);
    if (!event) return new AppError('event_not_found', 'event not found');
    const version = event.liveVersionId && (await deps.findVersion(event.liveVersionId));
    if (!version) return new AppError('event_not_live', 'event is a draft: publish it first');
    return { event, version };
  }

  async function write(request: NewRequest): Promise<Exclude<WriteResult, { error: unknown }>> {
    let result: WriteResult;
    try {
      result = await deps.write.add(request);
    } catch (error) {
      if (error instanceof BatcherFullError) throw unavailable('1', error);
      throw error;
    }
    if (!('error' in result)) return result;
    throw isRefusedContent(result.error) ? result.error : unavailable('2', result.error);
  }

  function replay(stored: StoredKey, key: CallKey | undefined): Accepted {
    const { fingerprint, ringKeyId, requestId } = stored;
    const isSame =
      key && deps.secrets.fingerprint(purpose, key.text, ringKeyId).equals(fingerprint);
    if (!isSame) {
      throw new AppError(
        'idempotency_mismatch',
        'this Idempotency-Key was used before with other parameters',
      );
    }
    return { requestId, isReplay: true };
  }
}

/** A call's key as it is stored, and the text that its fingerprint is made from. */
type CallKey = { row: NewIdempotencyKey; text: string };

type Live = { event: EventRow; version: VersionRow };

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

/** An item as it is stored, its Slack token sealed to it. */
export function newItem(
  item: WireItem,
  secrets: Secrets,
  { callId, index }: { callId: string; index: number },
): Omit<NewItem, 'plan'> {
  const user = item.user && sealToken(item.user, secrets, { requestId: callId, item: index });
  return {
    recipient: textOf(user),
    data: textOf(item.data),
    override: textOf(item.override),
    locale: item.locale,
    scheduleAt: item.scheduleAt === undefined ? undefined : String(item.scheduleAt),
  };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function keyFor(
  { accountId, idempotencyKey }: EventCall,
  work: AcceptWork,
  secrets: Secrets,
): CallKey | undefined {
  if (idempotencyKey === undefined) return undefined;
  const text = work.fingerprintText();
  return {
    text,
    row: {
      hash: hash('sha256', `${accountId}:${idempotencyKey}`, 'buffer'),
      fingerprint: secrets.fingerprint(purpose, text),
      ringKeyId: secrets.keyId,
      status: 200,
    },
  };
}

function unavailable(retryAfterSeconds: string, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'the call could not be stored; nothing was accepted: try again',
    {
      headers: { 'Retry-After': retryAfterSeconds },
      cause,
    },
  );
}
