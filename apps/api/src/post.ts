import { type Json, parseJson, withoutNulls } from '@belfry/shared';
import type { Request, RequestHandler } from 'express';
import { type Answer, sendAnswer } from './answer';
import { callOf } from './call';
import type { Authenticate, Caller } from './middleware/authenticate';
import type { CheckDeclaredBody } from './middleware/declared-body';
import { readIdempotencyKey } from './middleware/idempotency-key';
import type { LimitRate } from './middleware/rate-limit';
import type { ReadBody } from './middleware/read-body';

/** A call of any route, once it is authenticated. */
export type RouteCall = {
  callId: string;
  caller: Caller;
  /** Parameters of the path by name, decoded. */
  path: Readonly<Record<string, string>>;
};

type PostHead = RouteCall & { idempotencyKey: string | undefined };

/** A POST that passed every check that does not depend on its route. */
export type PostCall = PostHead & {
  /** Members that were null are gone, but inside `data`. */
  body: Json;
};

/** A POST whose body was read and is still to be parsed. */
export type UnparsedPostCall = PostHead & { bytes: Buffer };

export type PostDeps = {
  authenticate: Authenticate;
  checkDeclaredBody: CheckDeclaredBody;
  limitRate: LimitRate;
  readBody: ReadBody;
};

/** Makes routes of what answers a POST: here is the one order of its checks. */
export function createPost({ authenticate, checkDeclaredBody, limitRate, readBody }: PostDeps) {
  function postUnparsed(answer: (call: UnparsedPostCall) => Promise<Answer>): RequestHandler {
    return async function handlePost(req, res) {
      const call = callOf(res);
      const caller = await authenticate(req);
      call.accountId = caller.accountId;
      call.appId = caller.app.id;
      checkDeclaredBody(req);
      const idempotencyKey = readIdempotencyKey(req);
      await limitRate(call, caller.accountId);
      const bytes = await readBody(req, res);
      const path = pathParametersOf(req);
      sendAnswer(res, await answer({ callId: call.id, caller, path, idempotencyKey, bytes }));
    };
  }

  function post(answer: (call: PostCall) => Promise<Answer>): RequestHandler {
    return postUnparsed(({ bytes, ...call }) =>
      answer({ ...call, body: withoutNulls(parseJson(bytes)) }),
    );
  }

  return { post, postUnparsed };
}

/** Express gives a list only for a wildcard, which no route has. */
export function pathParametersOf({ params }: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
