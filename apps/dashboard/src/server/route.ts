import type { AccountAppRow, AccountApps, Actor } from '@belfry/database';
import { findTargetProblem, type Logger, newId } from '@belfry/runtime';
import { AppError, isUuid, limitProblems } from '@belfry/shared';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Problem, ProblemCode } from '../api/problem';
import { isDatabaseUnavailable } from './database-unavailable';
import { notFound, problemStatuses, Refusal } from './problem';
import type { Session, Sessions } from './sessions';

/** A call with a session. */
export type Call = {
  req: Request;
  res: Response;
  session: Session;
  actor: Actor;
  body: unknown;
  path: Readonly<Record<string, string>>;
};

export type AppCall = Call & { app: AccountAppRow };

/** Declared explicitly, because types inferred from Express cannot be named across linked packages. */
export type RouteHandler = (req: Request, res: Response, next: NextFunction) => unknown;

type Handler<C> = (call: C) => Promise<object>;

export type RoutesDeps = { sessions: Pick<Sessions, 'get'>; apps: Pick<AccountApps, 'find'> };

/** Wraps route handlers: checks the session, the role and the ownership of the app first. */
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

    /** An app of another account answers exactly like a missing one. */
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
  /** Allowed for viewers, although it is not a GET: it changes nothing that others see. */
  allowsViewers?: boolean;
  /** Only for owners: operators, and anything that could lock everybody out. */
  isForOwners?: boolean;
};

function refuseRole(
  role: string,
  method: string,
  { allowsViewers = false, isForOwners = false }: CallRules,
): void {
  if (role === 'viewer' && method !== 'GET' && !allowsViewers) {
    throw new Refusal(
      'not_allowed',
      'Viewers cannot change anything. Ask an owner for the editor role.',
    );
  }
  if (isForOwners && role !== 'owner') {
    throw new Refusal('not_allowed', 'Only an owner of the account can do this.');
  }
}

export function sendJson(res: Response, body: object): void {
  res.set('Cache-Control', 'no-store').json(body);
}

/** For handlers that write the response themselves, such as streams. */
export const skipAnswer: Answer = () => undefined;

/** Reads an id from the path. Anything but a UUID is not found and never reaches PostgreSQL. */
export function readId({ path }: Pick<Call, 'path'>, name: string, what: string): string {
  const id = path[name]?.toLowerCase() ?? '';
  if (!isUuid(id)) throw notFound(what);
  return id;
}

/** Express passes a list only for wildcards, which no route has. */
function readPathParams({ params }: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}

/** Checks that path and query decode to storable text; PostgreSQL would reject the statement otherwise. */
export const refuseUnreadableTargets: RequestHandler = function refuseUnreadableTargets(
  req,
  _res,
  next,
) {
  const problem = findTargetProblem(req.originalUrl);
  next(problem && new Refusal('bad_request', `The path and query of a call ${problem}.`));
};

/** A query parameter that occurs once and is not empty. */
export function queryText({ req }: Pick<Call, 'req'>, name: string): string | undefined {
  const value: unknown = req.query[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Answers every error in one shape. Internal errors are logged and reveal nothing. */
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

/** The route template, never the path, which may contain a token. */
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
  // Checked before the database: errors of the body parser also have Node codes.
  const unreadable = toReadRefusal(failure);
  if (unreadable) return unreadable;
  if (isDatabaseUnavailable(failure)) {
    return new Refusal(
      'unavailable',
      'PostgreSQL does not answer. Accepted messages are safe. This request changed nothing.',
      { headers: { 'Retry-After': '2' } },
    );
  }
  return new Refusal('internal', 'Belfry has an internal error. See the log of the dashboard.');
}

/** Maps 4xx errors of Express and its body parser; undefined for other errors. */
function toReadRefusal(failure: unknown): Refusal | undefined {
  const { status, type, limit } = (failure ?? {}) as Record<string, unknown>;
  if (type === 'entity.too.large') {
    return new Refusal('too_large', `The body must have at most ${Number(limit) / 1024} KB.`);
  }
  const isReading = (typeof status === 'number' && status < 500) || failure instanceof URIError;
  if (!isReading) return undefined;
  return new Refusal(
    ...(bodyProblems[String(type)] ?? (['bad_request', 'The request cannot be parsed.'] as const)),
  );
}

/** Errors of the body parser by `type`. */
const bodyProblems: Record<string, [ProblemCode, string]> = {
  'parameters.too.many': ['too_large', 'The form has too many fields.'],
  'encoding.unsupported': [
    'unsupported_media_type',
    'The body must not be compressed. Send it without Content-Encoding.',
  ],
  'charset.unsupported': ['unsupported_media_type', 'The body must be UTF-8.'],
  'request.aborted': ['bad_request', 'The body ended early.'],
  'request.size.invalid': ['bad_request', 'The length of the body does not match Content-Length.'],
};
