import type { Json } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { type Answer, getCall, sendAnswer } from './call';
import type { Caller } from './middleware/before-body';
import { type Checks, getPathParameters, type RouteCall } from './post';
import type { Query } from './query-values';
import { requireStorage } from './storage-limit';

/** A PUT, or the dry run of a POST, that passed every check that does not depend on its route. */
export type PutCall = RouteCall & {
  /** Without null members. */
  body: Json;
  query: Query;
};

/** A GET or DELETE. */
export type QueryCall = RouteCall & { query: Query };

/** A long-polling GET. */
export type WaitingCall = QueryCall & {
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
};

/** Creates the handlers of calls that ignore an Idempotency-Key. */
export function createHandlersWithoutIdempotencyKey(checks: Checks) {
  const { authenticate, checkDeclaredBody, limitRate, readBody, readJson } = checks;

  return {
    /** `isStored` is false for a dry run. */
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

    /** For GET and DELETE. Ignores a body. */
    withoutBody(answer: (call: QueryCall) => Promise<Answer>): RequestHandler {
      return async function handleWithoutBody(req, res) {
        const routeCall = await begin(req, res);
        await limitRate(getCall(res), routeCall.caller.accountId);
        sendAnswer(res, await answer({ ...routeCall, query: req.query }));
      };
    },

    /** For a long-polling GET, whose `signal` aborts when the caller disconnects. */
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
