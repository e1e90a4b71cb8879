import { hash } from 'node:crypto';
import type {
  KeyOfAccount,
  KeyOutcome,
  NewIdempotencyKey,
  NewStoredKey,
  StoredKey,
} from '@belfry/database';
import { type Awaitable, isPromise, type Secrets } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Entry } from './gate/entry';
import type { Begun, FinishedKey, Gate, GateKey } from './gate/gate';
import { conflict, orRefuseWrite, UnclearWriteError, unavailable } from './write-outcome';

/** A POST, as far as its key is concerned. */
export type CallFacts = {
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
export type KeyedWork = {
  /** Writes the key's row together with the work, or neither. A refusal is a thrown AppError. */
  run(key: NewIdempotencyKey | undefined): Promise<Done>;
  /** Where the answer follows from the id of the first call: it is not stored. */
  bodyOf?(requestId: string): string;
};

/** `body` is left out where `bodyOf` tells it. */
export type Done = { isWritten: true; body?: string } | { isWritten: false; winner: StoredKey };

export type KeyedAnswer = { status: number; body: string; isReplay: boolean };

export type KeyedCall = (call: CallFacts, work: KeyedWork) => Promise<KeyedAnswer>;

/** How a call with a key ended; `bypass` is counted beside it where Redis could not be asked. */
export type KeyResult =
  | 'accepted'
  | 'replayed'
  | 'mismatch'
  | 'conflict'
  | 'refused'
  | 'failed'
  | 'bypass';

export type KeyedCallDeps = {
  gate: Pick<Gate, 'begin' | 'finish' | 'release'>;
  findStoredKey(key: KeyOfAccount): Promise<StoredKey | undefined>;
  /** See writeKeyAlone of the database. */
  writeKeyAlone(stored: NewStoredKey): Promise<KeyOutcome>;
  secrets: Pick<Secrets, 'fingerprint' | 'keyId'>;
  /** The body of every answer to a fault of ours. */
  failureBody(callId: string): string;
  count(result: KeyResult): void;
};

/**
 * Wraps every POST: with one Idempotency-Key the work is done once, and later calls get the first one's answer. Redis is
 * asked first; PostgreSQL, where the key's row is written with the work, decides.
 */
export function createKeyedCall(deps: KeyedCallDeps): KeyedCall {
  const { count } = deps;
  return async function keyedCall(call, work) {
    if (call.idempotencyKey === undefined) return runWithoutKey(call, work);
    const asked = call.parameters();
    const parameters = isPromise(asked) ? await asked : asked;
    const key = keyOf(call, call.idempotencyKey, { parameters, secrets: deps.secrets });
    try {
      const begun = await deps.gate.begin(key);
      return await runOrReplay({ key, begun, work }, deps);
    } catch (error) {
      count(resultOf(error));
      throw error;
    }
  };
}

async function runWithoutKey({ callId }: CallFacts, work: KeyedWork): Promise<KeyedAnswer> {
  const done = await work.run(undefined);
  if (!done.isWritten) throw new Error('A call without a key lost against one');
  return { status: successStatus, body: bodyOf(done, work, callId), isReplay: false };
}

function bodyOf({ body }: { body?: string }, work: KeyedWork, requestId: string): string {
  const text = body ?? work.bodyOf?.(requestId);
  if (text === undefined) throw new Error('A call was done without an answer');
  return text;
}

const successStatus = 200;

/** A call's key, and the text that its fingerprint is made from. */
type CallKey = GateKey & { text: string };

function keyOf(
  { accountId, callId, route }: CallFacts,
  idempotencyKey: string,
  { parameters, secrets }: { parameters: string; secrets: KeyedCallDeps['secrets'] },
): CallKey {
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

function resultOf(error: unknown): KeyResult {
  if (!(error instanceof AppError) || error.code === 'internal') return 'failed';
  if (error.code === 'idempotency_mismatch') return 'mismatch';
  return error.code === 'idempotency_conflict' ? 'conflict' : 'refused';
}

type Held<Answer> = { key: CallKey; begun: Answer; work: KeyedWork };

function runOrReplay(
  { key, begun, work }: Held<Begun>,
  deps: KeyedCallDeps,
): Promise<KeyedAnswer> | KeyedAnswer {
  if (begun.state === 'bypassed') deps.count('bypass');
  if (begun.state === 'acquired' || begun.state === 'bypassed') return run(key, work, deps);
  refuseOther(key, begun, deps.secrets);
  if (begun.state === 'done' && work.bodyOf) {
    deps.count('replayed');
    return { status: successStatus, body: work.bodyOf(begun.requestId), isReplay: true };
  }
  return askPostgres({ key, begun, work }, deps);
}

/** The answer is not in Redis; or the lock's owner has committed and not told Redis yet, or it died. */
async function askPostgres(
  { key, begun, work }: Held<Entry>,
  deps: KeyedCallDeps,
): Promise<KeyedAnswer> {
  const stored = await deps.findStoredKey(key);
  if (stored) return replay({ key, stored, work, owner: begun.requestId }, deps);
  if (begun.state === 'locked') throw conflict();
  // PostgreSQL has forgotten the key already.
  return run(key, work, deps);
}

async function run(key: CallKey, work: KeyedWork, deps: KeyedCallDeps): Promise<KeyedAnswer> {
  let done: Done;
  try {
    done = await work.run(rowOf(key, successStatus));
  } catch (error) {
    return afterError({ key, work, error }, deps);
  }
  if (!done.isWritten)
    return replay({ key, work, stored: done.winner, owner: key.requestId }, deps);
  const state = work.bodyOf ? 'done' : 'done_in_row';
  finishBehind(finishedBy(key, state), deps);
  deps.count('accepted');
  return { status: successStatus, body: bodyOf(done, work, key.requestId), isReplay: false };
}

function rowOf({ hash, fingerprint, ringKeyId }: CallKey, status: number): NewIdempotencyKey {
  return { hash, fingerprint, ringKeyId, status };
}

type Stored = { key: CallKey; stored: StoredKey; work: KeyedWork; owner: string };

/** What PostgreSQL has stored is told to the caller, and to Redis where it does not know. */
function replay({ key, stored, work, owner }: Stored, deps: KeyedCallDeps): KeyedAnswer {
  const { status, requestId, fingerprint, ringKeyId } = stored;
  const body = stored.body ?? work.bodyOf?.(requestId);
  const state = stored.body === undefined ? 'done' : 'done_in_row';
  const { accountId, hash } = key;
  finishBehind({ accountId, hash, fingerprint, ringKeyId, requestId, state, owner }, deps);
  refuseOther(key, stored, deps.secrets);
  if (body === undefined) throw new Error('A key was stored without its answer');
  deps.count('replayed');
  return { status, body, isReplay: true };
}

/** The fingerprint is made anew under the key of the ring that the stored one was made with. */
function refuseOther(
  key: CallKey,
  { fingerprint, ringKeyId }: Pick<StoredKey, 'fingerprint' | 'ringKeyId'>,
  secrets: KeyedCallDeps['secrets'],
): void {
  if (fingerprintUnder(key, ringKeyId, secrets).equals(fingerprint)) return;
  throw new AppError(
    'idempotency_mismatch',
    'this Idempotency-Key was used before with other parameters',
  );
}

function fingerprintUnder(
  key: CallKey,
  ringKeyId: string,
  secrets: KeyedCallDeps['secrets'],
): Buffer {
  if (ringKeyId === key.ringKeyId) return key.fingerprint;
  try {
    return secrets.fingerprint(purpose, key.text, ringKeyId);
  } catch (error) {
    // Neither a replay nor a mismatch can be told: the ring of another gateway is newer, or a key left it too early.
    throw unavailable('1', error);
  }
}

type Failed = { key: CallKey; work: KeyedWork; error: unknown };

async function afterError({ key, work, error }: Failed, deps: KeyedCallDeps): Promise<KeyedAnswer> {
  if (!(error instanceof AppError) || error.code === 'internal') {
    return storeFailure({ key, work, error }, deps);
  }
  // The lock runs out by itself, when PostgreSQL has ended the statement in one way or the other.
  if (error.cause instanceof UnclearWriteError) throw error;
  // A retry of an accepted call gets its answer also when what it needs is gone since.
  const stored = error.status < 500 ? await findOrRelease(key, deps) : undefined;
  if (stored) return replay({ key, work, stored, owner: key.requestId }, deps);
  await deps.gate.release(key);
  throw error;
}

async function findOrRelease(key: CallKey, deps: KeyedCallDeps): Promise<StoredKey | undefined> {
  try {
    return await deps.findStoredKey(key);
  } catch (error) {
    await deps.gate.release(key);
    throw error;
  }
}

/** A fault of ours, after the work began: its answer is final. The one that wrote the key first has the last word. */
async function storeFailure(
  { key, work, error }: Failed,
  deps: KeyedCallDeps,
): Promise<KeyedAnswer> {
  const { accountId, requestId } = key;
  const row = rowOf(key, failureStatus);
  const body = deps.failureBody(requestId);
  const written = await storeOrRefuse({ accountId, requestId, key: row, body }, error, deps);
  if (!written.isWritten) {
    return replay({ key, work, stored: written.winner, owner: requestId }, deps);
  }
  finishBehind(finishedBy(key, 'done_in_row'), deps);
  throw error;
}

const failureStatus = 500;

/** Without its row a 500 would not be final, so it is no 500. */
async function storeOrRefuse(
  stored: NewStoredKey,
  error: unknown,
  deps: KeyedCallDeps,
): Promise<KeyOutcome> {
  try {
    return await orRefuseWrite(deps.writeKeyAlone(stored));
  } catch {
    throw unavailable('2', error);
  }
}

/** By the call itself. */
function finishedBy(key: CallKey, state: FinishedKey['state']): FinishedKey {
  const { accountId, hash, fingerprint, ringKeyId, requestId } = key;
  return { accountId, hash, fingerprint, ringKeyId, requestId, state, owner: requestId };
}

function finishBehind(key: FinishedKey, { gate }: KeyedCallDeps): void {
  void gate.finish(key);
}
