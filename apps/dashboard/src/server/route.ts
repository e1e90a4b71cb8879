import type { AccountAppRow, AccountApps, Actor } from '@belfry/database';
import { findTargetProblem, type Logger, newId } from '@belfry/runtime';
import { AppError, isUuid, limitProblems } from '@belfry/shared';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Problem, ProblemCode } from '../api/problem';
import { isDatabaseUnavailable } from './database-unavailable';
import { notFound, problemStatuses, Refusal } from './problem';
import type { Session, Sessions } from './sessions';

/** A call of somebody who is signed in. */
export type Call = {
  req: Request;
  res: Response;
  session: Session;
  actor: Actor;
  body: unknown;
  path: Readonly<Record<string, string>>;
};

export type AppCall = Call & { app: AccountAppRow };

/** Spelt out: what is inferred from Express's own cannot be named where packages are linked. */
export type RouteHandler = (req: Request, res: Response, next: NextFunction) => unknown;

type Handler<C> = (call: C) => Promise<object>;

export type RoutesDeps = { sessions: Pick<Sessions, 'get'>; apps: Pick<AccountApps, 'find'> };

/** Makes handlers of routes: who is signed in, whether they may, and whose app it is, before anything else. */
export function createRoutes({ sessions, apps }: RoutesDeps) {
  function signedIn(handler: Handler<Call>, rules: CallRules = {}): RouteHandler {
    const { answer = sendJson } = rules;
    return async function handleCall(req, res) {
      answer(res, await handler(await createCall(req, res, rules)));
    };
  }

  async function createCall(req: Request, res: Response, rules: CallRules): Promise<Call> {
    const session = await sessions.get(req);
    const { operator, account } = session;
    refuseRole(operator.role, req.method, rules);
    const actor = { accountId: account.id, operatorId: operator.id };
    return { req, res, session, actor, body: req.body, path: readPathParams(req) };
  }

  return {
    signedIn,

    /** Another account's app answers exactly as one that does not exist. */
    inApp(handler: Handler<AppCall>, rules: CallRules = {}): RouteHandler {
      return signedIn(async (call) => {
        const app = await apps.find(call.actor.accountId, readId(call, 'appId', 'app'));
        if (!app) throw notFound('app');
        return handler({ ...call, app, actor: { ...call.actor, appId: app.id } });
      }, rules);
    },
  };
}

export type Routes = ReturnType<typeof createRoutes>;
type Answer = (res: Response, body: object) => void;

type CallRules = {
  answer?: Answer;
  /** It changes nothing that others see, though it is no GET. */
  allowsViewers?: boolean;
  /** Who works in the account, and what would lock everybody out. */
  isForOwners?: boolean;
};

function refuseRole(
  role: string,
  method: string,
  { allowsViewers = false, isForOwners = false }: CallRules,
): void {
  if (role === 'viewer' && method !== 'GET' && !allowsViewers) {
    throw new Refusal('not_allowed', 'A viewer may look at everything, and change nothing.');
  }
  if (isForOwners && role !== 'owner') {
    throw new Refusal('not_allowed', 'Only an owner of the account may do that.');
  }
}

export function sendJson(res: Response, body: object): void {
  res.set('Cache-Control', 'no-store').json(body);
}

/** For what answers by itself, as a stream does. */
export const skipAnswer: Answer = () => undefined;

/** A part of the path that names a row; what is no UUID names none, and never reaches PostgreSQL. */
export function readId({ path }: Pick<Call, 'path'>, name: string, what: string): string {
  const id = path[name]?.toLowerCase() ?? '';
  if (!isUuid(id)) throw notFound(what);
  return id;
}

/** Express gives a list only for a wildcard, which no route has. */
function readPathParams({ params }: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}

/** The path and the query decode to text that can be stored: without it PostgreSQL would refuse the statement. */
export const refuseUnreadableTargets: RequestHandler = function refuseUnreadableTargets(
  req,
  _res,
  next,
) {
  const problem = findTargetProblem(req.originalUrl);
  next(problem && new Refusal('bad_request', `The path and query of a call ${problem}.`));
};

/** A parameter of the query that was given once, and says something. */
export function queryText({ req }: Pick<Call, 'req'>, name: string): string | undefined {
  const value: unknown = req.query[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Answers every failure in one shape; what is our fault is logged and says nothing. */
export function createHandleProblems({ log }: { log: Logger }): ErrorRequestHandler {
  return function handleProblems(failure: unknown, req, res, _next) {
    const refusal = toRefusal(failure);
    const requestId = newId();
    const status = problemStatuses[refusal.code];
    if (status >= 500) {
      const logFields = {
        request_id: requestId,
        method: req.method,
        route: getRoutePattern(req),
        error: failure,
      };
      log[refusal.code === 'internal' ? 'error' : 'warn']('call.failed', logFields);
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { code, details, message: error, headers } = refusal;
    const body: Problem = { success: false, error, code, ...details, requestId };
    res
      .set({ 'Cache-Control': 'no-store', ...headers })
      .status(status)
      .json(body);
  };
}

/** The template, never the path: a path may hold a token. */
function getRoutePattern(req: Request): string {
  return req.route?.path ?? 'none';
}

const appErrorCodes: Partial<Record<AppError['code'], 'invalid' | 'unavailable' | 'not_found'>> = {
  validation_failed: 'invalid',
  unavailable: 'unavailable',
  event_not_found: 'not_found',
};

function toRefusal(failure: unknown): Refusal {
  if (failure instanceof Refusal) return failure;
  if (failure instanceof AppError && failure.code !== 'internal') {
    const fields = limitProblems(failure.problems);
    const details = fields.length > 0 ? { fields } : {};
    return new Refusal(appErrorCodes[failure.code] ?? 'bad_request', failure.message, details);
  }
  // Before the stores: errors of the body reader have codes of Node's, too.
  const unreadable = toReadRefusal(failure);
  if (unreadable) return unreadable;
  if (isDatabaseUnavailable(failure)) {
    return new Refusal(
      'unavailable',
      'PostgreSQL does not answer. What was accepted is safe in it; nothing was changed now.',
      { headers: { 'Retry-After': '2' } },
    );
  }
  return new Refusal('internal', 'This is a fault of Belfry; its log says more.');
}

/** What Express and its body reader refuse with a 4xx; undefined for everything else. */
function toReadRefusal(failure: unknown): Refusal | undefined {
  const { status, type, limit } = (failure ?? {}) as Record<string, unknown>;
  if (type === 'entity.too.large') {
    return new Refusal('too_large', `The body must have ${Number(limit) / 1024} KB at most.`);
  }
  const isReading = (typeof status === 'number' && status < 500) || failure instanceof URIError;
  if (!isReading) return undefined;
  return new Refusal(
    ...(bodyProblems[String(type)] ?? (['bad_request', 'The call cannot be read.'] as const)),
  );
}

/** What Express's body reader refuses, by its `type`. */
const bodyProblems: Record<string, [ProblemCode, string]> = {
  'parameters.too.many': ['too_large', 'The form has too many fields.'],
  'encoding.unsupported': [
    'unsupported_media_type',
    'The body must not be compressed: send it without Content-Encoding.',
  ],
  'charset.unsupported': ['unsupported_media_type', 'The body must be UTF-8.'],
  'request.aborted': ['bad_request', 'The body ended early.'],
  'request.size.invalid': [
    'bad_request',
    'The body does not have the length that Content-Length states.',
  ],
};
