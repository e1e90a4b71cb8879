import { hash } from 'node:crypto';
import { type Awaitable, isPromise, type Secrets } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { NewStoredKey } from './idempotency.sql';
import type { Entry } from './idempotency-entry';
import type {
  BeginResult,
  FinishedKey,
  IdempotencyKey,
  IdempotencyStore,
} from './idempotency-store';
import { conflict, refuseFailedWrite, UnclearWriteError, unavailable } from './write-outcome';
import type { KeyOfAccount, KeyOutcome, NewIdempotencyKey, StoredKey } from './write-requests';

/** A POST, as far as its key is concerned. */
export type IdempotentRequest = {
  /** The id of the call: the token of its lock, and the `request_id` of what it accepts. */
  callId: string;
  accountId: string;
  idempotencyKey: string | undefined;
  /** Method and template, such as `POST /v1/apps/{app_id}/events/send`. */
  route: string;
  /** One text for every call that means the same; asked for only where there is a key. */
  parameters(): Awaitable<string>;
};

/** What a POST does, once everything that does not depend on stored state was checked. */
export type IdempotentHandler = {
  /** Writes the key's row together with the work, or neither. A refusal is a thrown AppError. */
  run(key: NewIdempotencyKey | undefined): Promise<HandlerResult>;
  /** Where the answer follows from the id of the first call: it is not stored. */
  buildBody?(requestId: string): string;
};

/** `body` is left out where `bodyOf` tells it. */
export type HandlerResult =
  | { isWritten: true; body?: string }
  | { isWritten: false; winner: StoredKey };

export type IdempotentResponse = { status: number; body: string; isReplay: boolean };

export type RunIdempotentRequest = (
  call: IdempotentRequest,
  work: IdempotentHandler,
) => Promise<IdempotentResponse>;

/** How a call with a key ended; `bypass` is counted beside it where Redis could not be asked. */
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
  /** See writeKeyAlone of the database. */
  writeKeyAlone(stored: NewStoredKey): Promise<KeyOutcome>;
  secrets: Pick<Secrets, 'fingerprint' | 'keyId'>;
  /** The body of every answer to a fault of ours. */
  failureBody(callId: string): string;
  count(result: IdempotencyResult): void;
};

/**
 * Wraps every POST: with one Idempotency-Key the work is done once, and later calls get the first one's answer. Redis is
 * asked first; PostgreSQL, where the key's row is written with the work, decides.
 */
export function createRunIdempotentRequest(deps: IdempotentRequestDeps): RunIdempotentRequest {
  const { count } = deps;
  return async function runIdempotentRequest(call, work) {
    if (call.idempotencyKey === undefined) return runWithoutKey(call, work);
    const pendingParameters = call.parameters();
    const parameters = isPromise(pendingParameters) ? await pendingParameters : pendingParameters;
    const key = createKey(call, call.idempotencyKey, { parameters, secrets: deps.secrets });
    try {
      const beginResult = await deps.idempotencyStore.begin(key);
      return await runOrReplay({ key, beginResult, work }, deps);
    } catch (error) {
      count(classifyError(error));
      throw error;
    }
  };
}

async function runWithoutKey(
  { callId }: IdempotentRequest,
  work: IdempotentHandler,
): Promise<IdempotentResponse> {
  const result = await work.run(undefined);
  if (!result.isWritten) throw new Error('A call without a key lost against one');
  return { status: successStatus, body: getBody(result, work, callId), isReplay: false };
}

function getBody({ body }: { body?: string }, work: IdempotentHandler, requestId: string): string {
  const text = body ?? work.buildBody?.(requestId);
  if (text === undefined) throw new Error('A call was done without an answer');
  return text;
}

const successStatus = 200;

/** A call's key, and the text that its fingerprint is made from. */
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

/** The answer is not in Redis; or the lock's owner has committed and not told Redis yet, or it died. */
async function resolveFromDatabase(
  { key, beginResult, work }: BegunRequest<Entry>,
  deps: IdempotentRequestDeps,
): Promise<IdempotentResponse> {
  const stored = await deps.findStoredKey(key);
  if (stored) return replay({ key, stored, work, owner: beginResult.requestId }, deps);
  if (beginResult.state === 'locked') throw conflict();
  // PostgreSQL has forgotten the key already.
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

function createKeyRow(
  { hash, fingerprint, ringKeyId }: KeyWithText,
  status: number,
): NewIdempotencyKey {
  return { hash, fingerprint, ringKeyId, status };
}

type ReplayInput = { key: KeyWithText; stored: StoredKey; work: IdempotentHandler; owner: string };

/** What PostgreSQL has stored is told to the caller, and to Redis where it does not know. */
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
  if (body === undefined) throw new Error('A key was stored without its answer');
  deps.count('replayed');
  return { status, body, isReplay: true };
}

/** The fingerprint is made anew under the key of the ring that the stored one was made with. */
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
    // Neither a replay nor a mismatch can be told: the ring of another gateway is newer, or a key left it too early.
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
  // The lock runs out by itself, when PostgreSQL has ended the statement in one way or the other.
  if (error.cause instanceof UnclearWriteError) throw error;
  // A retry of an accepted call gets its answer also when what it needs is gone since.
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

/** A fault of ours, after the work began: its answer is final. The one that wrote the key first has the last word. */
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

/** Without its row a 500 would not be final, so it is no 500. */
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

/** By the call itself. */
function toFinishedKey(key: KeyWithText, state: FinishedKey['state']): FinishedKey {
  const { accountId, hash, fingerprint, ringKeyId, requestId } = key;
  return { accountId, hash, fingerprint, ringKeyId, requestId, state, owner: requestId };
}

function finishInBackground(key: FinishedKey, { idempotencyStore }: IdempotentRequestDeps): void {
  void idempotencyStore.finish(key);
}
