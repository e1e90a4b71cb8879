import { hash } from 'node:crypto';
import {
  type EventRow,
  isRefusedContent,
  type NewIdempotencyKey,
  type NewRequest,
  type StoredKey,
  type UserRow,
  type VersionRow,
} from '@belfry/database';
import { type Batcher, BatcherFullError, type Secrets } from '@belfry/runtime';
import { AppError, type Recipient, type WireItem } from '@belfry/shared';
import { canonicalJson } from './fingerprint';
import type { Plan } from './plan';
import { sealToken } from './tokens';
import type { WriteResult } from './write-batcher';

export type SendEventDeps = {
  findEvent(appId: string, name: string): Promise<EventRow | undefined>;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findUser(appId: string, userId: string): Promise<UserRow | undefined>;
  findStoredKey(accountId: string, hash: Buffer): Promise<StoredKey | undefined>;
  readStoredRecipient(user: UserRow): Recipient;
  /** See createWriteBatcher. */
  write: Batcher<NewRequest, WriteResult>;
  plan: Plan;
  secrets: Secrets;
  newId: () => string;
};

export type SendEventInput = {
  /** The id of the call; it becomes the request's id. */
  callId: string;
  accountId: string;
  apiKeyId: string;
  app: { id: string; delivery: 'sandbox' | 'live' };
  eventName: string;
  item: WireItem;
  idempotencyKey?: string;
  /** The parsed body, for the key's fingerprint. */
  body: unknown;
};

/** A replay has the first call's id. */
export type Accepted = { requestId: string; isReplay: boolean };

export type SendEvent = (input: SendEventInput) => Promise<Accepted>;

const purpose = 'idempotency';
const route = 'POST /v1/apps/{app_id}/events/send';

/**
 * Accepts a single send: it is committed in PostgreSQL when this resolves. Throws AppError for what
 * the caller must know: event_not_found, event_not_live, idempotency_mismatch, unavailable.
 */
export function createSendEvent(deps: SendEventDeps): SendEvent {
  return async function sendEvent(input) {
    const key = keyFor(input, deps.secrets);
    const live = await findLive(input);
    if (live instanceof AppError) return replayOrRefuse(input, key, live);
    const user = await findStoredUser(input);
    const result = await write({ ...input, ...live, key: key?.row, user });
    if (result.isWritten) return { requestId: input.callId, isReplay: false };
    return replay(result.winner, key);
  };

  // A retry of an accepted call gets its answer also after the event was deleted.
  async function replayOrRefuse(
    { accountId }: SendEventInput,
    key: CallKey | undefined,
    refusal: AppError,
  ): Promise<Accepted> {
    const stored = key && (await deps.findStoredKey(accountId, key.row.hash));
    if (!stored) throw refusal;
    return replay(stored, key);
  }

  async function findLive(input: SendEventInput): Promise<Live | AppError> {
    const event = await deps.findEvent(input.app.id, input.eventName);
    if (!event) return new AppError('event_not_found', 'event not found');
    const version = event.liveVersionId && (await deps.findVersion(event.liveVersionId));
    if (!version) return new AppError('event_not_live', 'event is a draft: publish it first');
    return { event, version };
  }

  async function findStoredUser({ app, item }: SendEventInput): Promise<Recipient | undefined> {
    const userId = item.user?.user_id;
    const user = userId ? await deps.findUser(app.id, userId) : undefined;
    return user && deps.readStoredRecipient(user);
  }

  async function write(call: AcceptCall): Promise<Exclude<WriteResult, { error: unknown }>> {
    let result: WriteResult;
    try {
      result = await deps.write.add(newRequest(call, deps));
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

type AcceptCall = SendEventInput &
  Live & { key: NewIdempotencyKey | undefined; user: Recipient | undefined };

function newRequest(call: AcceptCall, { plan, secrets, newId }: SendEventDeps): NewRequest {
  const { callId, item, app } = call;
  const user = item.user && sealToken(item.user, secrets, { requestId: callId, item: 0 });
  return {
    request: {
      id: callId,
      accountId: call.accountId,
      appId: app.id,
      eventId: call.event.id,
      versionId: call.version.id,
      kind: 'single',
      apiKeyId: call.apiKeyId,
      idempotencyKey: call.idempotencyKey,
    },
    key: call.key,
    items: [
      {
        recipient: textOf(user),
        data: textOf(item.data),
        override: textOf(item.override),
        locale: item.locale,
        scheduleAt: item.scheduleAt === undefined ? undefined : String(item.scheduleAt),
        plan: plan({
          item,
          stored: call.user,
          definition: call.version.definition,
          delivery: app.delivery,
          now: new Date(),
          newId,
        }),
      },
    ],
  };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function keyFor(input: SendEventInput, secrets: Secrets): CallKey | undefined {
  const { accountId, idempotencyKey, app, body } = input;
  if (idempotencyKey === undefined) return undefined;
  const text = [route, app.id, canonicalJson(body)].join('\n');
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
