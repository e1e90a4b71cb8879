import { setImmediate } from 'node:timers/promises';
import type {
  IdempotentHandler,
  IdempotentRequest,
  RunIdempotentRequest,
} from '@belfry/pipeline/accept';
import type { Awaitable, Tracing } from '@belfry/runtime';
import { AppError, canonicalJson, type Json } from '@belfry/shared';
import type { Request, RequestHandler } from 'express';
import { type Answer, getCall, sendAnswer, toAnswer } from './call';
import { createBeginTrace } from './call-span';
import {
  type Authenticate,
  type Caller,
  type CheckDeclaredBody,
  type LimitRate,
  readIdempotencyKey,
} from './middleware/before-body';
import { isLarge, type ReadBody, type ReadJson } from './middleware/read-body';
import type { Operation } from './operation';
import type { PathParameters } from './path-values';
import { requireStorage } from './storage-limit';

/** An authenticated call of any route. */
export type RouteCall = {
  callId: string;
  caller: Caller;
  path: PathParameters;
};

type PostHead = RouteCall & {
  idempotencyKey: string | undefined;
  /** When the request arrived, by `performance.now()`. */
  startedAtMs: number;
  traceparent: string | undefined;
};

/** A POST that passed every check that does not depend on its route. */
export type PostCall = PostHead & {
  /** Without null members, except inside `data`. */
  body: Json;
};

/** A POST whose body was read but not parsed. */
export type UnparsedPostCall = PostHead & { bytes: Buffer };

/** A POST that passed the checks of its route that need no stored state. */
export type PreparedPost = {
  work: IdempotentHandler;
  /** The same text for equivalent bodies. Called only if there is an idempotency key. */
  canonicalBody(): Awaitable<string>;
};

type Route<Call, Prepared> = {
  operation: Pick<Operation, 'path' | 'storesNothing'>;
  /** A body is ignored. */
  hasNoBody?: true;
  /** Opens a secret in the body of a success, which is stored and replayed with the secret sealed. */
  reveal?(body: string): string;
  /** Does all checks that need no stored state, and returns the remaining work. */
  prepare(call: Call): Awaitable<Prepared>;
};

export type PostRoute = Route<PostCall, IdempotentHandler>;
export type BodilessPostRoute = Route<RouteCall, IdempotentHandler>;
export type UnparsedPostRoute = Route<UnparsedPostCall, PreparedPost>;

/** The checks of every call with a body. */
export type Checks = {
  authenticate: Authenticate;
  checkDeclaredBody: CheckDeclaredBody;
  limitRate: LimitRate;
  readBody: ReadBody;
  readJson: ReadJson;
};

export type PostDeps = Checks & {
  runIdempotentRequest: RunIdempotentRequest;
  /** Absent if traces are off. */
  tracing?: Tracing | undefined;
  /** Whether this is a restored copy that no operator has confirmed. */
  isPaused(): boolean;
};

/** Creates the handlers of POST routes. This is the only place that orders their checks. */
export function createPost(deps: PostDeps) {
  const { authenticate, checkDeclaredBody, limitRate, readBody, readJson, runIdempotentRequest } =
    deps;

  function postUnparsed(route: UnparsedPostRoute): RequestHandler {
    const { path: routePath, storesNothing = false } = route.operation;
    const beginTrace = createBeginTrace(routePath, deps.tracing);
    const body = route.hasNoBody ? noBody : { checkDeclaredBody, readBody };
    return async function handlePost(req, res) {
      const call = getCall(res);
      const caller = await authenticate(req);
      call.accountId = caller.accountId;
      call.appId = caller.app.id;
      beginTrace(call, req);
      if (!storesNothing && deps.isPaused()) throw createPauseError();
      body.checkDeclaredBody(req);
      const idempotencyKey = readIdempotencyKey(req);
      await limitRate(call, caller.accountId);
      if (!storesNothing) refuseBeforeBody(caller, idempotencyKey);
      const bytes = await body.readBody(req, res, caller.accountId);
      const path = getPathParameters(req);
      const { id: callId, startedAtMs, traceparent } = call;
      const head = { callId, startedAtMs, traceparent, caller, path, idempotencyKey, bytes };
      const prepared = await route.prepare(head);
      const work = storesNothing ? prepared.work : withinStorage(prepared.work, caller);
      const response = await runIdempotentRequest(describeCall(head, route, prepared), work);
      sendAnswer(res, reveal(toAnswer(response), route));
    };
  }

  function post({ operation, prepare, reveal: revealBody }: PostRoute): RequestHandler {
    return postUnparsed({
      operation,
      ...(revealBody && { reveal: revealBody }),
      async prepare({ bytes, ...head }) {
        const body = await readJson(bytes, head.caller.accountId);
        const work = await prepare({ ...head, body });
        const canonicalBody = () =>
          isLarge(bytes) ? canonicalizeLargeJson(body) : canonicalJson(body);
        return { work, canonicalBody };
      },
    });
  }

  /** For a POST without fields. */
  function postWithoutBody({ prepare, ...route }: BodilessPostRoute): RequestHandler {
    const canonicalBody = () => '';
    return postUnparsed({
      ...route,
      hasNoBody: true,
      prepare: async (head) => ({ work: await prepare(head), canonicalBody }),
    });
  }

  return { post, postUnparsed, postWithoutBody };
}

const pausedRetrySeconds = '60';

/**
 * A copy may be thrown away, and what it accepted with it. A refused caller tries again, and then reaches the confirmed
 * installation.
 */
function createPauseError(): AppError {
  return new AppError(
    'unavailable',
    'this installation is a restored copy: nothing was accepted. An operator must confirm which copy is the real one (belfry installation confirm)',
    { headers: { 'Retry-After': pausedRetrySeconds } },
  );
}

const noBody: Pick<Checks, 'checkDeclaredBody' | 'readBody'> = {
  checkDeclaredBody: () => undefined,
  readBody: async () => Buffer.alloc(0),
};

function reveal(answer: Answer, route: UnparsedPostRoute): Answer {
  if (!route.reveal || answer.status !== 200) return answer;
  return { ...answer, body: route.reveal(answer.body) };
}

/** A call with a key may be a replay, which stores nothing. `withinStorage` refuses it once it turns out to be a new request. */
function refuseBeforeBody({ app }: Caller, idempotencyKey: string | undefined): void {
  if (idempotencyKey === undefined) requireStorage(app);
}

function withinStorage(work: IdempotentHandler, { app }: Caller): IdempotentHandler {
  if (!app.isStorageFull) return work;
  return {
    ...work,
    async run(key) {
      requireStorage(app);
      return work.run(key);
    },
  };
}

/** Canonicalizing a large body is slow, so this yields to the event loop before and after it. */
async function canonicalizeLargeJson(body: Json): Promise<string> {
  await setImmediate();
  const text = canonicalJson(body);
  await setImmediate();
  return text;
}

function describeCall(
  { callId, caller, path, idempotencyKey }: PostHead,
  { operation }: UnparsedPostRoute,
  { canonicalBody }: PreparedPost,
): IdempotentRequest {
  return {
    callId,
    accountId: caller.accountId,
    idempotencyKey,
    route: `POST ${operation.path}`,
    parameters: async () =>
      `${canonicalJson({ ...path, app_id: caller.app.id })}\n${await canonicalBody()}`,
  };
}

/** Express returns a list only for wildcards, which no route has. */
export function getPathParameters({ params }: Request): Record<string, string> {
  const path: Record<string, string> = {};
  for (const name of Object.keys(params)) path[name] = String(params[name]);
  return path;
}
