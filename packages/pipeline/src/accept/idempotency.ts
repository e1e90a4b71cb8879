import { hash } from 'node:crypto';
import type { Awaitable, Secrets } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Entry } from './idempotency.redis';
import type { NewStoredKey } from './idempotency.sql';
import type {
  BeginResult,
  FinishedKey,
  IdempotencyKey,
  IdempotencyStore,
} from './idempotency-store';
import type { KeyOfAccount, KeyOutcome, NewIdempotencyKey, StoredKey } from './stored-key';
import { conflict, refuseFailedWrite, UnclearWriteError, unavailable } from './write-failure';

/** The parts of a POST request that its idempotency key needs. */
export type IdempotentRequest = {
  /** The id of the request. It is also the token of the lock and the stored `request_id`. */
  callId: string;
  accountId: string;
  idempotencyKey: string | undefined;
  /** Method and path template, such as `POST /v1/apps/{app_id}/events/send`. */
  route: string;
  /** Returns the same text for all requests that mean the same. Called only if there is a key. */
  parameters(): Awaitable<string>;
};

/** The work of a POST, after all checks that need no stored state. */
export type IdempotentHandler = {
  /** Writes the key's row and the work in one transaction. Throws an AppError to refuse. */
  run(key: NewIdempotencyKey | undefined): Promise<HandlerResult>;
  /** Builds the body from the id of the first request; without it the body is stored. */
  buildBody?(requestId: string): string;
};

/** `body` is omitted if `buildBody` returns it. */
export type HandlerResult =
  | { isWritten: true; body?: string }
  | { isWritten: false; winner: StoredKey };

export type IdempotentResponse = { status: number; body: string; isReplay: boolean };

export type RunIdempotentRequest = (
  call: IdempotentRequest,
  work: IdempotentHandler,
) => Promise<IdempotentResponse>;

/** The result of a request with a key. `bypass` is counted in addition if Redis failed. */
export type IdempotencyResult =
  | 'accepted'
  | 'replayed'
  | 'mismatch'
  | 'conflict'
  | 'refused'
  | 'failed'
  | 'bypass';

export type IdempotentRequestDeps = {
  idempotencyStore: Pick<IdempotencyStore, 'begin' | 'finish' | 'release'>;
  findStoredKey(key: KeyOfAccount): Promise<StoredKey | undefined>;
  /** See writeKeyAlone in idempotency.sql.ts. */
  writeKeyAlone(stored: NewStoredKey): Promise<KeyOutcome>;
  secrets: Pick<Secrets, 'fingerprint' | 'keyId'>;
  /** Returns the response body for an internal error. */
  failureBody(callId: string): string;
  count(result: IdempotencyResult): void;
};

/**
 * Wraps every POST: requests with the same Idempotency-Key run the work once, and later ones get the first response.
 * Redis is checked first. PostgreSQL decides, because the key's row is written with the work.
 */
export function createRunIdempotentRequest(deps: IdempotentRequestDeps): RunIdempotentRequest {
  return async function runIdempotentRequest(call, work) {
    if (call.idempotencyKey === undefined) return runWithoutKey(call, work);
    const parameters = await call.parameters();
    const key = createKey(call, call.idempotencyKey, { parameters, secrets: deps.secrets });
    try {
      const beginResult = await deps.idempotencyStore.begin(key);
      return await runOrReplay({ key, beginResult, work }, deps);
    } catch (error) {
      deps.count(classifyError(error));
      throw error;
    }
  };
}

async function runWithoutKey(
  { callId }: IdempotentRequest,
  work: IdempotentHandler,
): Promise<IdempotentResponse> {
  const result = await work.run(undefined);
  if (!result.isWritten)
    throw new Error('A request without an idempotency key cannot lose to another');
  return { status: successStatus, body: getBody(result, work, callId), isReplay: false };
}

function getBody({ body }: { body?: string }, work: IdempotentHandler, requestId: string): string {
  const text = body ?? work.buildBody?.(requestId);
  if (text === undefined) throw new Error('The handler returned no body and has no buildBody');
  return text;
}

const successStatus = 200;

/** A request's key and the text that its fingerprint is computed from. */
type KeyWithText = IdempotencyKey & { text: string };

function createKey(
  { accountId, callId, route }: IdempotentRequest,
  idempotencyKey: string,
  { parameters, secrets }: { parameters: string; secrets: IdempotentRequestDeps['secrets'] },
): KeyWithText {
  const text = `${route}\n${parameters}`;
  return {
    accountId,
    hash: hash('sha256', `${accountId}:${idempotencyKey}`, 'buffer'),
    text,
    fingerprint: secrets.fingerprint(purpose, text),
    ringKeyId: secrets.keyId,
    requestId: callId,
  };
}

const purpose = 'idempotency';

function classifyError(error: unknown): IdempotencyResult {
  if (!(error instanceof AppError) || error.code === 'internal') return 'failed';
  if (error.code === 'idempotency_mismatch') return 'mismatch';
  return error.code === 'idempotency_conflict' ? 'conflict' : 'refused';
}

type BegunRequest<Answer> = { key: KeyWithText; beginResult: Answer; work: IdempotentHandler };

function runOrReplay(
  { key, beginResult, work }: BegunRequest<BeginResult>,
  deps: IdempotentRequestDeps,
): Promise<IdempotentResponse> | IdempotentResponse {
  if (beginResult.state === 'bypassed') deps.count('bypass');
  if (beginResult.state === 'acquired' || beginResult.state === 'bypassed')
    return run(key, work, deps);
  refuseMismatch(key, beginResult, deps.secrets);
  if (beginResult.state === 'done' && work.buildBody) {
    deps.count('replayed');
    return { status: successStatus, body: work.buildBody(beginResult.requestId), isReplay: true };
  }
  return resolveFromDatabase({ key, beginResult, work }, deps);
}

/** The response is not in Redis, or the lock's owner committed but did not update Redis yet, or the owner died. */
async function resolveFromDatabase(
  { key, beginResult, work }: BegunRequest<Entry>,
  deps: IdempotentRequestDeps,
): Promise<IdempotentResponse> {
  const stored = await deps.findStoredKey(key);
  if (stored) return replay({ key, stored, work, owner: beginResult.requestId }, deps);
  if (beginResult.state === 'locked') throw conflict();
  // PostgreSQL has purged the key.
  return run(key, work, deps);
}

async function run(
  key: KeyWithText,
  work: IdempotentHandler,
  deps: IdempotentRequestDeps,
): Promise<IdempotentResponse> {
  let result: HandlerResult;
  try {
    result = await work.run(createKeyRow(key, successStatus));
  } catch (error) {
    return recoverFromError({ key, work, error }, deps);
  }
  if (!result.isWritten)
    return replay({ key, work, stored: result.winner, owner: key.requestId }, deps);
  const state = work.buildBody ? 'done' : 'done_in_row';
  finishInBackground(toFinishedKey(key, state), deps);
  deps.count('accepted');
  return { status: successStatus, body: getBody(result, work, key.requestId), isReplay: false };
}

function createKeyRow(key: KeyWithText, status: number): NewIdempotencyKey {
  const { hash, fingerprint, ringKeyId } = key;
  return { hash, fingerprint, ringKeyId, status };
}

type ReplayInput = { key: KeyWithText; stored: StoredKey; work: IdempotentHandler; owner: string };

/** Responds with the row from PostgreSQL and updates Redis. */
function replay(
  { key, stored, work, owner }: ReplayInput,
  deps: IdempotentRequestDeps,
): IdempotentResponse {
  const { status, requestId, fingerprint, ringKeyId } = stored;
  const body = stored.body ?? work.buildBody?.(requestId);
  const state = stored.body === undefined ? 'done' : 'done_in_row';
  const { accountId, hash } = key;
  finishInBackground({ accountId, hash, fingerprint, ringKeyId, requestId, state, owner }, deps);
  refuseMismatch(key, stored, deps.secrets);
  if (body === undefined) throw new Error('The idempotency key has no stored response');
  deps.count('replayed');
  return { status, body, isReplay: true };
}

/** Computes the fingerprint with the ring key that made the stored one, then compares. */
function refuseMismatch(
  key: KeyWithText,
  { fingerprint, ringKeyId }: Pick<StoredKey, 'fingerprint' | 'ringKeyId'>,
  secrets: IdempotentRequestDeps['secrets'],
): void {
  if (computeFingerprint(key, ringKeyId, secrets).equals(fingerprint)) return;
  throw new AppError(
    'idempotency_mismatch',
    'this Idempotency-Key was used before with other parameters',
  );
}

function computeFingerprint(
  key: KeyWithText,
  ringKeyId: string,
  secrets: IdempotentRequestDeps['secrets'],
): Buffer {
  if (ringKeyId === key.ringKeyId) return key.fingerprint;
  try {
    return secrets.fingerprint(purpose, key.text, ringKeyId);
  } catch (error) {
    // Cannot compare: another gateway has a newer key ring, or a ring key was removed too early.
    throw unavailable('1', error);
  }
}

type FailedRequest = { key: KeyWithText; work: IdempotentHandler; error: unknown };

async function recoverFromError(
  { key, work, error }: FailedRequest,
  deps: IdempotentRequestDeps,
): Promise<IdempotentResponse> {
  if (!(error instanceof AppError) || error.code === 'internal') {
    return storeFailure({ key, work, error }, deps);
  }
  // Keep the lock until it expires: by then PostgreSQL has committed or rolled back the statement.
  if (error.cause instanceof UnclearWriteError) throw error;
  // A retry of an accepted request gets its response even if the app or event was removed since.
  const stored = error.status < 500 ? await findOrRelease(key, deps) : undefined;
  if (stored) return replay({ key, work, stored, owner: key.requestId }, deps);
  await deps.idempotencyStore.release(key);
  throw error;
}

async function findOrRelease(
  key: KeyWithText,
  deps: IdempotentRequestDeps,
): Promise<StoredKey | undefined> {
  try {
    return await deps.findStoredKey(key);
  } catch (error) {
    await deps.idempotencyStore.release(key);
    throw error;
  }
}

/** Stores the response to an internal error after the work began. If another request wrote the key first, replays its response. */
async function storeFailure(
  { key, work, error }: FailedRequest,
  deps: IdempotentRequestDeps,
): Promise<IdempotentResponse> {
  const { accountId, requestId } = key;
  const row = createKeyRow(key, failureStatus);
  const body = deps.failureBody(requestId);
  const outcome = await storeOrRefuse({ accountId, requestId, key: row, body }, error, deps);
  if (!outcome.isWritten) {
    return replay({ key, work, stored: outcome.winner, owner: requestId }, deps);
  }
  finishInBackground(toFinishedKey(key, 'done_in_row'), deps);
  throw error;
}

const failureStatus = 500;

/** If the row of a 500 cannot be stored, the response is not final, so it becomes a 503. */
async function storeOrRefuse(
  stored: NewStoredKey,
  error: unknown,
  deps: IdempotentRequestDeps,
): Promise<KeyOutcome> {
  try {
    return await refuseFailedWrite(deps.writeKeyAlone(stored));
  } catch {
    throw unavailable('2', error);
  }
}

/** The request that runs is also the lock's owner. */
function toFinishedKey(key: KeyWithText, state: FinishedKey['state']): FinishedKey {
  const { accountId, hash, fingerprint, ringKeyId, requestId } = key;
  return { accountId, hash, fingerprint, ringKeyId, requestId, state, owner: requestId };
}

function finishInBackground(key: FinishedKey, { idempotencyStore }: IdempotentRequestDeps): void {
  void idempotencyStore.finish(key);
}
