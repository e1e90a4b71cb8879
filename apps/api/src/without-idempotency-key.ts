import type { Json } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { type Answer, sendAnswer } from './answer';
import { getCall } from './call';
import type { Caller } from './middleware/authenticate';
import { type Checks, getPathParameters, type RouteCall } from './post';
import type { Query } from './query-values';
import { requireStorage } from './storage-limit';

/** A PUT, or a POST that is only tried, that passed every check that does not depend on its route. */
export type PutCall = RouteCall & {
  /** Members that were null are gone. */
  body: Json;
  query: Query;
};

/** A GET or DELETE. */
export type QueryCall = RouteCall & { query: Query };

/** A GET that may take its time. */
export type WaitingCall = QueryCall & {
  /** Fires when the caller is gone. */
  signal: AbortSignal;
};

/** Makes routes of what answers the methods that ignore an Idempotency-Key. */
export function createHandlersWithoutIdempotencyKey(checks: Checks) {
  const { authenticate, checkDeclaredBody, limitRate, readBody, readJson } = checks;

  return {
    /** `isStored` is false where the call is only tried. */
    put(
      answer: (call: PutCall) => Promise<Answer>,
      { isStored }: { isStored: boolean },
    ): RequestHandler {
      return async function handlePut(req, res) {
        const routeCall = await begin(req, res);
        checkDeclaredBody(req);
        const { accountId, app } = routeCall.caller;
        await limitRate(getCall(res), accountId);
        if (isStored) requireStorage(app);
        const body = await readJson(await readBody(req, res, accountId), accountId);
        sendAnswer(res, await answer({ ...routeCall, body, query: req.query }));
      };
    },

    /** For GET and DELETE: a body is not looked at. */
    withoutBody(answer: (call: QueryCall) => Promise<Answer>): RequestHandler {
      return async function handleWithoutBody(req, res) {
        const routeCall = await begin(req, res);
        await limitRate(getCall(res), routeCall.caller.accountId);
        sendAnswer(res, await answer({ ...routeCall, query: req.query }));
      };
    },

    /** The same, for what is told when nobody waits for it any more. */
    waiting(answer: (call: WaitingCall) => Promise<Answer>): RequestHandler {
      return async function handleWaiting(req, res) {
        const controller = new AbortController();
        res.once('close', () => controller.abort());
        const routeCall = await begin(req, res);
        await limitRate(getCall(res), routeCall.caller.accountId);
        const routeAnswer = await answer({
          ...routeCall,
          query: req.query,
          signal: controller.signal,
        });
        if (!controller.signal.aborted) sendAnswer(res, routeAnswer);
      };
    },
  };

  async function begin(req: Request, res: Response): Promise<RouteCall> {
    const call = getCall(res);
    const caller: Caller = await authenticate(req);
    call.accountId = caller.accountId;
    call.appId = caller.app.id;
    return { callId: call.id, caller, path: getPathParameters(req) };
  }
}
