import type { Awaitable } from '@belfry/runtime';
import { AppError, type Json, parseJson, withoutNulls } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { getCall, sendAnswer } from './call';
import type { InboxApp } from './middleware/authenticate-reader';
import { parseAppId } from './middleware/before-body';
import type { Checks } from './post';

export type OpenCallsDeps = Pick<Checks, 'checkDeclaredBody' | 'limitRate'> & {
  readBody(req: Request, res: Response): Promise<Buffer>;
  findApp(id: string, req: Request): Awaitable<InboxApp | undefined>;
  /** Whether the network of the caller may send a call without a credential now. */
  takeOpenCall(req: Request): boolean;
};

export type OpenCall = {
  callId: string;
  /** Undefined if there is no such app, which the caller must not learn. */
  app: InboxApp | undefined;
};

/**
 * Creates the handlers of calls without a credential, which browsers send. Whatever such a call can do, anybody can. This is
 * the only place that orders their checks.
 */
export function createOpenCalls(deps: OpenCallsDeps) {
  const { checkDeclaredBody, limitRate, readBody, findApp, takeOpenCall } = deps;

  return {
    withoutBody(answer: (call: OpenCall) => Promise<object>): RequestHandler {
      return async function handleWithoutBody(req, res) {
        const call = await begin(req, res);
        send(res, await answer(call));
      };
    },

    withBody<Body>(
      validate: (body: unknown) => Body,
      answer: (call: OpenCall & { body: Body }) => Promise<object>,
    ): RequestHandler {
      return async function handleWithBody(req, res) {
        const call = await begin(req, res);
        checkDeclaredBody(req);
        const json: Json = withoutNulls(parseJson(await readBody(req, res)));
        send(res, await answer({ ...call, body: validate(json) }));
      };
    },
  };

  async function begin(req: Request, res: Response): Promise<OpenCall> {
    if (!takeOpenCall(req)) throw new AppError('rate_limited', tooManyCalls);
    const id = parseAppId(req.params);
    const app = id === undefined ? undefined : await findApp(id, req);
    const call = getCall(res);
    if (app) {
      call.accountId = app.accountId;
      call.appId = app.id;
      // A separate limit: strangers must not use up the limits of the backend and of signed front ends.
      await limitRate(call, `${app.accountId}:open`);
    }
    return { callId: call.id, app };
  }
}

const tooManyCalls = 'this network sent too many requests without a credential: try again later';

function send(res: Response, body: object): void {
  sendAnswer(res, { status: 200, body: JSON.stringify(body) });
}
