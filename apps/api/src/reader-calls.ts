import type { InboxAddress } from '@belfry/pipeline/operate';
import { isUserId, type Json, parseJson, withoutNulls } from '@belfry/shared';
import type { Request, RequestHandler, Response } from 'express';
import { getCall, sendAnswer } from './call';
import {
  type AuthenticateReaderDeps,
  createAuthenticateReader,
  type InboxApp,
  type ReaderClaim,
  type ReaderRules,
} from './middleware/authenticate-reader';
import type { ReaderSession } from './middleware/reader-token';
import { type PathParameters, readUserId as readPathUserId } from './path-values';
import { type Checks, getPathParameters } from './post';
import { invalidValue, type Query, readQueryValue } from './query-values';

export type ReaderCallsDeps = Pick<Checks, 'checkDeclaredBody' | 'limitRate'> & {
  readBody(req: Request, res: Response): Promise<Buffer>;
  reader: AuthenticateReaderDeps;
};

/** An authenticated call of a front end. */
export type ReaderCall = {
  address: InboxAddress;
  app: InboxApp;
  session: ReaderSession;
  path: PathParameters;
  query: Query;
};

export type ReaderCalls = ReturnType<typeof createReaderCalls>;

/** Creates the handlers of routes for front ends. */
export function createReaderCalls(deps: ReaderCallsDeps) {
  const { begin, admit, admitPath, readSmallBody } = createReaderChecks(deps);

  return { byQuery, byBody, byPath, byPathWithBody, bySession };

  /** Reads the user from the token or the query, and ignores the body. */
  function byQuery(
    answer: (call: ReaderCall) => Promise<object>,
    rules: ReaderRules = {},
  ): RequestHandler {
    return bySession(async (call, _req, res) => {
      sendAnswer(res, toOkAnswer(await answer(call)));
    }, rules);
  }

  /** For a handler that writes the response itself. */
  function bySession(
    handle: (call: ReaderCall, req: Request, res: Response) => Promise<void>,
    rules: ReaderRules = {},
  ): RequestHandler {
    return async function handleBySession(req, res) {
      const claim = await begin(req, rules);
      await handle(await admit(req, res, claim, readUserId(req.query, claim)), req, res);
    };
  }

  /** Reads the user from the token, the body or the query. The body is small, and must be read before the signature can be checked. */
  function byBody<Body extends { user_id?: string }>(
    validate: (body: unknown) => Body,
    answer: (call: ReaderCall, body: Body) => Promise<object>,
  ): RequestHandler {
    return async function handleByBody(req, res) {
      const claim = await begin(req, {});
      const body = validate(addUserId(await readSmallBody(req, res), claim));
      const userId = body.user_id ?? readUserId(req.query, claim);
      const call = await admit(req, res, claim, userId);
      sendAnswer(res, toOkAnswer(await answer(call, body)));
    };
  }

  /** Reads the user from the path and ignores the body. */
  function byPath(answer: (call: ReaderCall) => Promise<object>): RequestHandler {
    return async function handleByPath(req, res) {
      sendAnswer(res, toOkAnswer(await answer(await admitPath(req, res))));
    };
  }

  function byPathWithBody<Body>(
    validate: (body: unknown) => Body,
    answer: (call: ReaderCall, body: Body) => Promise<object>,
  ): RequestHandler {
    return async function handleByPathWithBody(req, res) {
      const call = await admitPath(req, res);
      const body = validate(await readSmallBody(req, res));
      sendAnswer(res, toOkAnswer(await answer(call, body)));
    };
  }
}

/** The checks of calls from front ends: `begin` before the user is known, `admit` after it. */
function createReaderChecks({ reader, checkDeclaredBody, limitRate, readBody }: ReaderCallsDeps) {
  const { begin, check } = createAuthenticateReader(reader);

  return { begin, admit, admitPath, readSmallBody };

  async function admitPath(req: Request, res: Response): Promise<ReaderCall> {
    const claim = await begin(req, {});
    return admit(req, res, claim, readPathUserId(getPathParameters(req)));
  }

  async function readSmallBody(req: Request, res: Response): Promise<Json> {
    checkDeclaredBody(req);
    return withoutNulls(parseJson(await readBody(req, res)));
  }

  async function admit(
    req: Request,
    res: Response,
    claim: ReaderClaim,
    userId: string,
  ): Promise<ReaderCall> {
    const session = await check(claim, userId);
    const { app } = claim;
    const call = getCall(res);
    call.accountId = app.accountId;
    call.appId = app.id;
    // A separate limit: front ends must not use up the limit of the account's backend.
    await limitRate(call, `${app.accountId}:inbox`);
    const address = { appId: app.id, userId };
    return { address, app, session, path: getPathParameters(req), query: req.query };
  }
}

/** With a token, the user may be left out. */
function addUserId(body: Json, { session }: ReaderClaim): Json {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return session && isObject ? { user_id: session.userId, ...body } : body;
}

function readUserId(query: Query, { session }: ReaderClaim): string {
  const userId = readQueryValue(query, 'user_id') ?? session?.userId;
  if (userId === undefined) throw invalidValue('user_id', 'must not be blank');
  if (!isUserId(userId)) throw invalidValue('user_id', 'is not a valid user ID');
  return userId;
}

function toOkAnswer(body: object) {
  return { status: 200, body: JSON.stringify(body) };
}
