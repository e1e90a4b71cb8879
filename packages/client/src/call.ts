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
  /** As the caller knows it. */
  name: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the app. */
  path: string;
  body?: object;
  /** It writes nothing, so it takes no key. */
  isUnkeyed?: true;
};

export type CallDeps = {
  appUrl: string;
  apiKey: string;
  limits: Limits;
  fetch: Fetch;
  /** Rejects when the signal comes. */
  wait(ms: number, signal: CallerSignal | undefined): Promise<void>;
  random(): number;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  newKey(): string;
};

/** Makes the calls of one app; `createTransport` makes it from the options of a caller. */
export type Transport = <T>(operation: Operation, options?: WriteOptions) => Promise<T>;

/** One call: attempts with the same bytes and the same key, until one is final or the deadline is near. */
export function createCall(deps: CallDeps): Transport {
  return async function call<T>(operation: Operation, options: WriteOptions = {}): Promise<T> {
    const limits = readLimits(options, deps.limits);
    const isKeyed = operation.method === 'POST' && !operation.isUnkeyed;
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

/** At most `retries` + 1 attempts. */
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

/** Each character of a header is one byte; HTTP strips the white space around it (RFC 9110, section 5.5). */
function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return 'must be a string';
  if (key === '' || key.length > maxKeyCharacters) {
    return `must have 1 to ${maxKeyCharacters} characters`;
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(key)) {
    return 'must have no control character and none above U+00FF: a header cannot carry them. Encode the key, for example with encodeURIComponent';
  }
  return /^[\t ]|[\t ]$/.test(key)
    ? 'must not begin or end with a space or tab: HTTP strips them'
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

/** A browser has its own, and may ask the gateway first whether it takes another one. */
function getUserAgent(): { 'User-Agent'?: string } {
  return 'document' in globalThis ? {} : { 'User-Agent': `belfry-client/${version}` };
}

/** Written once: a key goes with one body. */
function writeJson(name: string, body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new TypeError(`${name}: the body cannot be written as JSON`, { cause });
  }
}

function isSuccess(outcome: Outcome): outcome is { outcome: 'answered'; answer: Answer } {
  if (outcome.outcome !== 'answered') return false;
  const { status, body } = outcome.answer;
  return status >= 200 && status <= 299 && typeof body === 'object' && body !== null;
}

/** The gateway makes its answers from the schemas that `generated/wire.ts` is made from, and the operation names the type. */
function castAnswer<T>({ body }: Answer): T {
  return body as T;
}
