import { type Answer, attempt, type Outcome, type RequestFields } from './attempt';
import { createAbortedFailure, createError, toFailure } from './failure';
import { version } from './generated/version';
import {
  type CallerSignal,
  type Fetch,
  type Limits,
  readLimits,
  type WriteOptions,
} from './options';
import { nextWaitMs } from './retry';

export type Operation = {
  /** Name in error messages, such as `events.send`. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the app. */
  path: string;
  body?: object;
  /** Set on an operation that stores nothing, so that it sends no key. */
  storesNothing?: true;
};

export type CallDeps = {
  appUrl: string;
  apiKey: string;
  limits: Limits;
  fetch: Fetch;
  /** Rejects when the signal is aborted. */
  wait(ms: number, signal: CallerSignal | undefined): Promise<void>;
  random(): number;
  /** A monotonic clock, in milliseconds. */
  now(): number;
  newKey(): string;
};

/** Makes calls to one app. `createTransport` creates it from the options of a caller. */
export type Transport = <T>(operation: Operation, options?: WriteOptions) => Promise<T>;

/** One call: attempts with the same bytes and key, until one is final or the deadline is near. */
export function createCall(deps: CallDeps): Transport {
  return async function call<T>(operation: Operation, options: WriteOptions = {}): Promise<T> {
    const limits = readLimits(options, deps.limits);
    const isKeyed = operation.method === 'POST' && !operation.storesNothing;
    const idempotencyKey = isKeyed ? readKey(options, deps) : undefined;
    const answer = await repeat(deps, {
      ...createRequest(operation, idempotencyKey, deps),
      name: operation.name,
      idempotencyKey,
      limits,
      endsAtMs: deps.now() + limits.deadlineMs,
      signal: options.signal,
    });
    return castAnswer<T>(answer);
  };
}

type Plan = {
  name: string;
  url: string;
  init: RequestFields;
  idempotencyKey: string | undefined;
  limits: Limits;
  endsAtMs: number;
  signal: CallerSignal | undefined;
};

/** Makes at most `retries` + 1 attempts. */
async function repeat(deps: CallDeps, plan: Plan): Promise<Answer> {
  const { name, idempotencyKey, limits, endsAtMs, signal } = plan;
  for (let attempts = 1; ; attempts += 1) {
    const leftMs = Math.max(1, Math.ceil(endsAtMs - deps.now()));
    const timeoutMs = Math.min(limits.timeoutMs, leftMs);
    const outcome = await attempt({ ...plan, fetch: deps.fetch, timeoutMs });
    if (isSuccess(outcome)) return outcome.answer;

    const failure = toFailure(outcome);
    const sent = { name, idempotencyKey, attempts };
    const waitMs = nextWaitMs(failure, {
      attempts,
      retries: limits.retries,
      leftMs: endsAtMs - deps.now(),
      random: deps.random(),
    });
    if (waitMs === undefined) throw createError(failure, sent);
    const isAborted = await deps.wait(waitMs, signal).then(returnFalse, returnTrue);
    if (isAborted) throw createError(createAbortedFailure(signal), sent);
  }
}

const returnFalse = () => false;
const returnTrue = () => true;

function readKey({ idempotencyKey }: WriteOptions, { newKey }: CallDeps): string {
  const key = idempotencyKey ?? newKey();
  const problem = findKeyProblem(key);
  if (problem === undefined) return key;
  throw new TypeError(`idempotencyKey ${problem}`);
}

const maxKeyCharacters = 255;

/** A header has one byte per character; HTTP strips white space around it (RFC 9110, section 5.5). */
function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return 'must be a string';
  if (key === '' || key.length > maxKeyCharacters) {
    return `must have 1 to ${maxKeyCharacters} characters`;
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(key)) {
    return 'must have no control character and none above U+00FF, because a header cannot contain them. Encode the key, for example with encodeURIComponent';
  }
  return /^[\t ]|[\t ]$/.test(key)
    ? 'must not start or end with a space or tab, because HTTP strips them'
    : undefined;
}

function createRequest(
  { name, method, path, body }: Operation,
  idempotencyKey: string | undefined,
  { appUrl, apiKey }: CallDeps,
): { url: string; init: RequestFields } {
  const headers = {
    Accept: 'application/json',
    Authorization: `AuthKey ${apiKey}`,
    ...getUserAgent(),
    ...(body ? { 'Content-Type': 'application/json' } : {}),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  const init = { method, headers, ...(body ? { body: writeJson(name, body) } : {}) };
  return { url: `${appUrl}${path}`, init };
}

/** Not set in a browser, which has its own and may need a preflight request for another one. */
function getUserAgent(): { 'User-Agent'?: string } {
  return 'document' in globalThis ? {} : { 'User-Agent': `belfry-client/${version}` };
}

/** Serialized once, because a key belongs to one body. */
function writeJson(name: string, body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new TypeError(`${name}: the body cannot be serialized as JSON`, { cause });
  }
}

function isSuccess(outcome: Outcome): outcome is { outcome: 'answered'; answer: Answer } {
  if (outcome.outcome !== 'answered') return false;
  const { status, body } = outcome.answer;
  return status >= 200 && status <= 299 && typeof body === 'object' && body !== null;
}

/** Safe cast: the gateway and `generated/wire.ts` use the same schemas, and the operation determines the type. */
function castAnswer<T>({ body }: Answer): T {
  return body as T;
}
