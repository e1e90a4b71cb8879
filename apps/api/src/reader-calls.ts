import type { InboxAddress } from '@belfry/pipeline/operate';
import { isUserId, parseJson, withoutNulls } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { getCall, sendAnswer } from './call';
import {
  type AuthenticateReaderDeps,
  createAuthenticateReader,
  type InboxApp,
  type ReaderClaim,
} from './middleware/authenticate-reader';
import type { Checks } from './post';
import { invalidValue, type Query, readQueryValue } from './query-values';

export type ReaderCallsDeps = Pick<Checks, 'checkDeclaredBody' | 'limitRate'> & {
  readBody(req: Request, res: Response): Promise<Buffer>;
  reader: AuthenticateReaderDeps;
};

/** Creates the handlers of inbox routes for front ends. This is the only place that orders their checks. */
export function createReaderCalls({
  reader,
  checkDeclaredBody,
  limitRate,
  readBody,
}: ReaderCallsDeps) {
  const { begin, check } = createAuthenticateReader(reader);

  return { byQuery, byBody };

  /** Reads the user from the query and ignores the body. */
  function byQuery(
    answer: (address: InboxAddress, app: InboxApp) => Promise<object>,
    { isCounter = false } = {},
  ): RequestHandler {
    return async function handleByQuery(req, res) {
      const claim = await begin(req, isCounter);
      const address = await admit(res, claim, readUserId(req.query));
      sendAnswer(res, toOkAnswer(await answer(address, claim.app)));
    };
  }

  /** Reads the user from the body, which must be read before the signature can be checked. The body is small. */
  function byBody<Body extends { user_id: string }>(
    validate: (body: unknown) => Body,
    answer: (address: InboxAddress, body: Body) => Promise<object>,
  ): RequestHandler {
    return async function handleByBody(req, res) {
      const claim = await begin(req, false);
      checkDeclaredBody(req);
      const body = validate(withoutNulls(parseJson(await readBody(req, res))));
      const address = await admit(res, claim, body.user_id);
      sendAnswer(res, toOkAnswer(await answer(address, body)));
    };
  }

  async function admit(res: Response, claim: ReaderClaim, userId: string): Promise<InboxAddress> {
    await check(claim, userId);
    const { id: appId, accountId } = claim.app;
    const call = getCall(res);
    call.accountId = accountId;
    call.appId = appId;
    // A separate limit: front ends must not use up the limit of the account's backend.
    await limitRate(call, `${accountId}:inbox`);
    return { appId, userId };
  }
}

function readUserId(query: Query): string {
  const userId = readQueryValue(query, 'user_id');
  if (userId === undefined) throw invalidValue('user_id', 'must not be blank');
  if (!isUserId(userId)) throw invalidValue('user_id', 'is not a valid user ID');
  return userId;
}

function toOkAnswer(body: object) {
  return { status: 200, body: JSON.stringify(body) };
}
